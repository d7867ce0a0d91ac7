// A migration that npm run migration writes keeps every row and every trigger of a database with rows.
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getPlatformProxy, type PlatformProxy, unstable_splitSqlQuery } from "wrangler";
import { openMigratedDatabase, readTriggers } from "../../scripts/migration/database.ts";
import { rewriteForD1 } from "../../scripts/migration/rewrite-for-d1.ts";
import { splitLikeRemote } from "../../scripts/rehearsal/remote-splitter.ts";
import { listMigrations } from "../../scripts/support/databases.ts";
import { describeSchema } from "./database-shape.ts";
import { copyProject, type ProjectCopy } from "./project-copy.ts";

const TABLES = "src/db/schema/tables.ts";

const TRIGGER = `CREATE TRIGGER tier_changed AFTER UPDATE OF tier ON agents WHEN old.tier <> new.tier
BEGIN
	UPDATE webhooks SET is_capped = new.tier = 'anonymous' WHERE agent_id = new.id;
END`;

/** These rows refer to each other, and the trigger writes more. */
const ROWS = `
	insert into agents (id, display_name, tier) values ('poster', 'P', 'anonymous'), ('one', 'A', 'anonymous'), ('two', 'B', 'anonymous');
	insert into tags (tag, agent_id) values ('code', 'one'), ('data', 'two');
	insert into webhooks (id, agent_id, is_capped) values ('w1', 'one', 1), ('w2', 'two', 1);
	update agents set tier = 'verified' where id = 'two';
	insert into usage (network, kind, used) values ('n', 'agents', 1);
	insert into deals (id, agent_id, value_cents) values ('d1', 'two', 900);`;

/** Returns a copy whose database has the fixture's tables and the trigger, in two migrations. */
async function copyWithFixture(): Promise<ProjectCopy> {
	const copy = await copyProject();
	await copy.useFixture();
	await copy.migrate("initial");
	await writeFile(join(copy.migrations, "0001_trigger.sql"), `${TRIGGER};\n`);
	return copy;
}

describe("npm run migration", () => {
	it("rejects a rebuild that would delete rows of another table", () => {
		const db = new DatabaseSync(":memory:");
		db.exec("create table a (id text primary key); create table b (a text references a(id) on delete cascade)");
		const rebuild = "CREATE TABLE `__new_a` (`id` text PRIMARY KEY NOT NULL);";
		expect(() => rewriteForD1(db, rebuild, [])).toThrow("would lose rows");
	});

	it("writes nothing if the rows that exist have no value for a new column", async () => {
		const copy = await copyWithFixture();
		try {
			await copy.edit(TABLES, "value_cents >= 0", "value_cents > 0");
			await copy.edit(
				TABLES,
				'valueCents: integer("value_cents")',
				'currency: text("currency").notNull(), valueCents: integer("value_cents")',
			);
			const read = () => [
				readdirSync(copy.migrations, { recursive: true }),
				readFileSync(join(copy.migrations, "meta", "_journal.json"), "utf8"),
			];
			const before = read();
			expect(await copy.failToMigrate("currency")).toContain("Rows of deals have no value for currency.");
			expect(read()).toEqual(before);
		} finally {
			await copy.remove();
		}
	});
});

describe("npm run migration -- --squash", () => {
	it("leaves one migration, with the same tables and triggers", async () => {
		const copy = await copyWithFixture();
		try {
			await copy.edit(TABLES, "value_cents >= 0", "value_cents > 0");
			await copy.migrate("values");
			expect(listMigrations(copy.migrations)).toHaveLength(3);
			const before = openMigratedDatabase(copy.migrations);
			await copy.squash();
			expect(listMigrations(copy.migrations)).toEqual(["0000_initial.sql"]);
			const after = openMigratedDatabase(copy.migrations);
			expect(describeSchema(after)).toEqual(describeSchema(before));
			expect(readTriggers(after)).toEqual(readTriggers(before));
			expect(readTriggers(after)).toHaveLength(1);
		} finally {
			await copy.remove();
		}
	});

	it("leaves the migrations as they were if a trigger needs a column that is gone", async () => {
		const copy = await copyWithFixture();
		try {
			await copy.edit(TABLES, 'isCapped: integer("is_capped").notNull(),', "");
			const before = listMigrations(copy.migrations);
			await expect(copy.squash()).rejects.toThrow("is_capped");
			expect(listMigrations(copy.migrations)).toEqual(before);
		} finally {
			await copy.remove();
		}
	});

	it("is rejected after a release, because deployments have applied the migrations", async () => {
		const copy = await copyWithFixture();
		try {
			await copy.release();
			await expect(copy.squash()).rejects.toThrow("only add new ones");
			await copy.edit("migrations/0001_trigger.sql", "old.tier", "OLD.tier");
			await expect(copy.release()).rejects.toThrow("they have changed: migrations/0001_trigger.sql");
		} finally {
			await copy.remove();
		}
	});
});

describe("a migration, applied to a database with rows", () => {
	let copy: ProjectCopy;
	let folder: string;
	let proxy: PlatformProxy<{ DB: D1Database }>;
	let db: D1Database;

	beforeAll(async () => {
		copy = await copyWithFixture();
		folder = await mkdtemp(join(tmpdir(), "migration-d1-"));
		const configPath = join(folder, "wrangler.json");
		const database = { binding: "DB", database_name: "test", database_id: "test" };
		await writeFile(configPath, JSON.stringify({ name: "test", compatibility_date: "2026-11-01", d1_databases: [database] }));
		proxy = await getPlatformProxy<{ DB: D1Database }>({ configPath, persist: false, remoteBindings: false });
		db = proxy.env.DB;
		for (const file of listMigrations(copy.migrations)) await apply(readFileSync(join(copy.migrations, file), "utf8"));
		await apply(ROWS);
	});
	afterAll(async () => {
		await proxy.dispose();
		await rm(folder, { recursive: true, force: true });
		await copy.remove();
	});

	/** Applies the migration as wrangler does to a local database: in one batch, which is one transaction. */
	async function apply(sql: string): Promise<void> {
		await db.batch(unstable_splitSqlQuery(sql).map((statement) => db.prepare(statement)));
	}

	async function migrate(name: string): Promise<void> {
		const sql = readFileSync(join(copy.migrations, (await copy.migrate(name)) ?? "none"), "utf8");
		expect(splitLikeRemote(sql)).toEqual(unstable_splitSqlQuery(sql));
		await apply(sql);
	}

	async function readAll<Row>(sql: string): Promise<Row[]> {
		return (await db.prepare(sql).all<Row>()).results;
	}

	/** Returns every row of every table, by table. */
	async function readRows(): Promise<Record<string, unknown[]>> {
		const tables = await readAll<{ name: string }>(
			"select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' and name not like '\\_cf%' escape '\\'",
		);
		return Object.fromEntries(await Promise.all(tables.map(async ({ name }) => [name, await readAll(`select * from "${name}"`)] as const)));
	}

	it("keeps rows, triggers and storage if checks of two tables change and one gets a column", async () => {
		const before = await readRows();
		expect(before["webhooks"]).toMatchObject([
			{ id: "w1", is_capped: 1 },
			{ id: "w2", is_capped: 0 },
		]);
		await copy.edit(TABLES, "'anonymous','verified'", "'anonymous','verified','platinum'");
		await copy.edit(
			TABLES,
			'displayName: text("display_name")',
			'language: text("language").notNull().default("en"), displayName: text("display_name")',
		);
		await copy.edit(TABLES, "kind in ('agents','bytes')", "kind <> ''");
		await migrate("platinum");

		expect(await readRows()).toEqual({ ...before, agents: before["agents"]?.map((row) => ({ ...Object(row), language: "en" })) });
		expect(await readAll("select sql from sqlite_schema where type = 'trigger'")).toEqual([{ sql: TRIGGER }]);
		expect(await readAll("select name from pragma_table_list where wr = 1 and name in ('agents', 'usage')")).toEqual([{ name: "usage" }]);
		expect(await readAll("select count(*) as tables from sqlite_schema where name like '\\_\\_%' escape '\\'")).toEqual([{ tables: 0 }]);

		await db.prepare("update agents set tier = 'platinum' where id = 'one'").run();
		expect(await readAll("select is_capped from webhooks where id = 'w1'")).toEqual([{ is_capped: 0 }]);
		await expect(db.prepare("update agents set tier = 'gold' where id = 'one'").run()).rejects.toThrow("agent_tier");
		await expect(db.prepare("insert into tags (tag, agent_id) values ('x', 'nobody')").run()).rejects.toThrow("FOREIGN KEY");
	});
});
