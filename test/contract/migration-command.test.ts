// npm run migration: what it writes keeps every row and every trigger when it is applied to a database with rows.
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getPlatformProxy, type PlatformProxy, unstable_splitSqlQuery } from "wrangler";
import { composeMigration } from "../../scripts/migration/compose.ts";
import { MIGRATIONS, openMigratedDatabase, readTriggers } from "../../scripts/migration/database.ts";
import { Draft } from "../../scripts/migration/draft.ts";
import { runGenerated } from "../../scripts/migration/rebuild.ts";
import { foldSql, parseTriggers } from "../../scripts/migration/sql-files.ts";
import { splitLikeRemote } from "../../scripts/rehearsal/remote-splitter.ts";
import { listMigrations } from "../../scripts/support/databases.ts";
import { copyProject, type ProjectCopy } from "./project-copy.ts";
import { readProjectFile } from "./sources.ts";

const triggersFile = readProjectFile("src/db/triggers.sql");
const triggers = parseTriggers(triggersFile);

/** Rows of tables that refer to each other, with all that triggers make of them. */
const ROWS = `
	insert into agents (id, display_name, tier, created_at) values ('poster', 'P', 'anonymous', 1), ('one', 'A', 'anonymous', 1), ('two', 'B', 'anonymous', 1);
	insert into tasks (id, company_id, status, title, category, budget_cents, deadline, eval_mode, test_weight, llm_weight, eval_network,
		eval_memory_mb, eval_timeout_seconds, max_submissions_per_agent, created_at)
	values ('t1', 'poster', 'draft', 'Fix the parsers', 'code', 10000, 9, 'llm', 0, 100, 0, 1024, 600, 15, 1),
		('t2', 'poster', 'draft', 'A draft', 'code', 5000, 9, 'llm', 0, 100, 0, 1024, 600, 15, 1);
	insert into criteria (task_id, name, weight, position) values ('t1', 'correct', 60.5, 1), ('t1', 'clear', 39.5, 2);
	update tasks set status = 'open', published_at = 2 where id = 't1';
	insert into task_entries (task_id, agent_id, quota_used, quota_limit, created_at) values ('t1', 'one', 2, 15, 1), ('t1', 'two', 1, 15, 1);
	insert into submissions (id, task_id, agent_id, status, agent_display_name, created_at, updated_at)
	values ('s1', 't1', 'one', 'registered', 'A', 1, 1), ('s2', 't1', 'one', 'running', 'A', 2, 2), ('s3', 't1', 'two', 'running', 'B', 3, 3);
	update submissions set status = 'completed', evaluated = 1, final_score = 81.25, evaluated_at = 4 where id = 's3';
	insert into leaderboard_entries (task_id, agent_id, submission_id, agent_name, final_score, achieved_at, rank_key)
	values ('t1', 'two', 's3', 'B', 81.25, 3, '075300000000003s3');
	update tasks set status = 'closed', closed_at = 5 where id = 't1';
	insert into deals (id, task_id, company_id, agent_id, deal_type, deal_value_cents, platform_fee_cents, created_at)
	values ('d1', 't1', 'poster', 'two', 'output_purchase', 900, 100, 6);`;

describe("npm run migration", () => {
	const compose = (triggersFile: string) =>
		composeMigration(openMigratedDatabase(MIGRATIONS), {
			generated: "",
			triggersFile,
			tablesWithoutRowid: [],
		});

	it("writes only the triggers that have changed", () => {
		const changed = triggersFile
			.replace(/^CREATE TRIGGER win_passed_on[\s\S]*?^END;\n/m, "")
			.replace("tasks_entered = tasks_entered + 1", "tasks_entered = tasks_entered + 2");
		const migration = compose(changed);
		expect(migration.match(/^\w+ TRIGGER \w+/gm)).toEqual([
			"DROP TRIGGER entry_counted",
			"DROP TRIGGER win_passed_on",
			"CREATE TRIGGER entry_counted",
		]);
		const db = openMigratedDatabase(MIGRATIONS);
		db.exec(migration);
		expect(readTriggers(db)).toHaveLength(triggers.length - 1);
		expect(readTriggers(db).find(({ name }) => name === "entry_counted")?.sql).toContain("tasks_entered + 2");
	});

	it("rejects a trigger that names a column which does not exist", () => {
		expect(() => compose(triggersFile.replace("SET wins = wins - 1", "SET losses = wins - 1"))).toThrow("no such column: losses");
	});

	it("rejects a rebuild that would delete rows of another table", () => {
		const db = new DatabaseSync(":memory:");
		db.exec("create table a (id text primary key); create table b (a text references a(id) on delete cascade)");
		const rebuild = ["CREATE TABLE `__new_a` (`id` text PRIMARY KEY NOT NULL);"];
		expect(() => runGenerated(new Draft(db), rebuild, [])).toThrow("would lose rows");
	});

	it("leaves nothing behind when the rows that exist have no value for a new column", async () => {
		const copy = await copyProject();
		try {
			await copy.edit(
				"src/db/schema/tasks.ts",
				/check\("task_quota", .*\),\n/,
				'check("task_quota", sql`max_submissions_per_agent > 0`),\n',
			);
			await copy.edit(
				"src/db/schema/tasks.ts",
				'companyId: text("company_id")',
				'currency: text("currency").notNull(), companyId: text("company_id")',
			);
			const read = () => [
				readdirSync(copy.migrations, { recursive: true }),
				readFileSync(join(copy.migrations, "meta", "_journal.json"), "utf8"),
			];
			const before = read();
			expect(await copy.failToMigrate("currency")).toContain("Rows of tasks have no value for currency.");
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

	/** As wrangler applies a migration to a local database: one batch, which is one transaction. */
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

	/** Every row of every table, by table. */
	async function readRows(): Promise<Record<string, unknown[]>> {
		const tables = await readAll<{ name: string }>(
			"select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' and name not like '\\_cf%' escape '\\'",
		);
		return Object.fromEntries(await Promise.all(tables.map(async ({ name }) => [name, await readAll(`select * from "${name}"`)] as const)));
	}

	it("keeps rows, triggers and storage when checks of two tables change and one gets a column", async () => {
		const before = await readRows();
		expect(before["task_winners"]).toHaveLength(1);
		await copy.edit(
			"src/db/schema/tasks.ts",
			/check\("task_eval_mode", .*\),\n/,
			"check(\"task_eval_mode\", sql`eval_mode in ('llm','pairwise')`),\n",
		);
		await copy.edit(
			"src/db/schema/tasks.ts",
			'companyId: text("company_id")',
			'currency: text("currency").notNull().default("usd"), companyId: text("company_id")',
		);
		await copy.edit(
			"src/db/schema/tasks.ts",
			/check\("criterion_weight", .*\)/,
			'check("criterion_weight", sql`weight between 0 and 100`)',
		);
		await migrate("pairwise");

		expect(await readRows()).toEqual({ ...before, tasks: before["tasks"]?.map((row) => ({ ...Object(row), currency: "usd" })) });
		const kept = await readAll<{ name: string; sql: string }>("select name, sql from sqlite_schema where type = 'trigger' order by name");
		const sorted = triggers.toSorted((one, other) => (one.name < other.name ? -1 : 1));
		expect(kept.map(({ sql }) => foldSql(sql))).toEqual(sorted.map(({ sql }) => foldSql(sql)));
		expect(await readAll("select name from pragma_table_list where wr = 1 and name in ('tasks', 'criteria')")).toEqual([
			{ name: "criteria" },
		]);
		expect(await readAll("select count(*) as tables from sqlite_schema where name like '\\_\\_%' escape '\\'")).toEqual([{ tables: 0 }]);

		await db.prepare("update tasks set eval_mode = 'pairwise', status = 'open' where id = 't2'").run();
		expect(await readAll("select tasks_draft, tasks_open from agent_counts where agent_id = 'poster'")).toEqual([
			{ tasks_draft: 0, tasks_open: 1 },
		]);
		await expect(db.prepare("update tasks set eval_mode = 'hybrid' where id = 't2'").run()).rejects.toThrow("task_eval_mode");
		await expect(db.prepare("insert into criteria (task_id, name, weight, position) values ('t9', 'x', 1, 1)").run()).rejects.toThrow(
			"FOREIGN KEY",
		);
	});
});
