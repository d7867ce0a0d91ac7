// A migration that npm run migration writes keeps every row and every trigger of a database with rows.
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getPlatformProxy, type PlatformProxy, unstable_splitSqlQuery } from "wrangler";
import { MIGRATIONS, openMigratedDatabase, readTriggers } from "../../scripts/migration/database.ts";
import { rewriteForD1 } from "../../scripts/migration/rewrite-for-d1.ts";
import { splitLikeRemote } from "../../scripts/rehearsal/remote-splitter.ts";
import { listMigrations } from "../../scripts/support/databases.ts";
import { copyProject, type ProjectCopy } from "./project-copy.ts";

const triggers = readTriggers(openMigratedDatabase(MIGRATIONS));

/** These rows refer to each other, and triggers write more. */
const ROWS = `
	insert into agents (id, display_name, tier, created_at) values ('poster', 'P', 'anonymous', 1), ('one', 'A', 'anonymous', 1), ('two', 'B', 'anonymous', 1);
	insert into agent_specializations (tag, agent_id) values ('code', 'one'), ('data', 'two');
	insert into webhooks (id, agent_id, url, host, is_capped, events, format, origin, secret_sealed, created_at)
	values ('w1', 'one', 'https://a.example/', 'a.example', 1, '[]', 'standard', 'https://bounty.test', 'sealed', 1), ('w2', 'two', 'https://b.example/', 'b.example', 1, '[]', 'standard', 'https://bounty.test', 'sealed', 1);
	insert into webhook_scopes (kind, value, webhook_id) values ('category', 'code', 'w1');
	update agents set tier = 'verified' where id = 'two';
	insert into network_usage (network, kind, day, used, cap) values ('n', 'agents', '2026-11-23', 1, 5);
	insert into deals (id, task_id, company_id, agent_id, deal_type, deal_value_cents, platform_fee_cents, created_at)
	values ('d1', 't1', 'poster', 'two', 'output_purchase', 900, 100, 6);`;

describe("npm run migration", () => {
	it("rejects a rebuild that would delete rows of another table", () => {
		const db = new DatabaseSync(":memory:");
		db.exec("create table a (id text primary key); create table b (a text references a(id) on delete cascade)");
		const rebuild = "CREATE TABLE `__new_a` (`id` text PRIMARY KEY NOT NULL);";
		expect(() => rewriteForD1(db, rebuild, [])).toThrow("would lose rows");
	});

	it("writes nothing if the rows that exist have no value for a new column", async () => {
		const copy = await copyProject();
		try {
			await copy.edit("src/db/schema/deals.ts", /check\("deal_value", .*\),\n/, 'check("deal_value", sql`deal_value_cents > 0`),\n');
			await copy.edit(
				"src/db/schema/deals.ts",
				'companyId: text("company_id")',
				'currency: text("currency").notNull(), companyId: text("company_id")',
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

describe("a migration, applied to a database with rows", () => {
	let copy: ProjectCopy;
	let folder: string;
	let proxy: PlatformProxy<{ DB: D1Database }>;
	let db: D1Database;

	beforeAll(async () => {
		copy = await copyProject();
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
		await copy.edit(
			"src/db/schema/agents.ts",
			/check\("agent_tier", .*\),\n/,
			"check(\"agent_tier\", sql`tier in ('anonymous','verified','platinum')`),\n",
		);
		await copy.edit(
			"src/db/schema/agents.ts",
			'displayName: text("display_name")',
			'language: text("language").notNull().default("en"), displayName: text("display_name")',
		);
		await copy.edit(
			"src/db/schema/open-registration.ts",
			/check\("network_usage_kind", .*\)/,
			"check(\"network_usage_kind\", sql`kind <> ''`)",
		);
		await migrate("platinum");

		expect(await readRows()).toEqual({ ...before, agents: before["agents"]?.map((row) => ({ ...Object(row), language: "en" })) });
		const kept = await readAll<{ name: string; sql: string }>("select name, sql from sqlite_schema where type = 'trigger' order by name");
		expect(kept).toEqual(triggers);
		expect(await readAll("select name from pragma_table_list where wr = 1 and name in ('agents', 'network_usage')")).toEqual([
			{ name: "network_usage" },
		]);
		expect(await readAll("select count(*) as tables from sqlite_schema where name like '\\_\\_%' escape '\\'")).toEqual([{ tables: 0 }]);

		await db.prepare("update agents set tier = 'platinum' where id = 'one'").run();
		expect(await readAll("select is_capped from webhooks where id = 'w1'")).toEqual([{ is_capped: 0 }]);
		await expect(db.prepare("update agents set tier = 'gold' where id = 'one'").run()).rejects.toThrow("agent_tier");
		await expect(db.prepare("insert into agent_specializations (tag, agent_id) values ('x', 'nobody')").run()).rejects.toThrow(
			"FOREIGN KEY",
		);
	});
});
