// What npm run restore makes of a backup, without a platform: damaged ones are refused, and any text survives the way through SQL.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { listMigrations, MIGRATIONS, openMigratedDatabase } from "../../scripts/migration/database.ts";
import { openSource } from "../../scripts/restore/source.ts";
import { PIECES_TABLE, writeInserts } from "../../scripts/restore/sql-writer.ts";
import { buildStaging } from "../../scripts/restore/staging.ts";
import { DERIVED_TABLES, listBackupTables, PASSING_TABLES } from "../../src/db/backup-tables.ts";
import { type Manifest, RETURNED } from "../../src/features/backup/schemas.ts";

const MIGRATION = listMigrations(MIGRATIONS).at(-1) ?? "";
const ODD_TEXTS = [
	'it\'s; -- "odd"\nEND;\r\n/* */ \\',
	"日本語 🎉 `y`",
	"\u0000nul",
	"long ü ".repeat(9_000),
	"🎉".repeat(30_000),
	"a".repeat(9_999),
	"",
];

let folder = "";
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "backup-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rows = z.array(z.record(z.string(), z.unknown()));

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Writes a backup by hand. `change` is the last word on its manifest. */
function writeBackup(tables: Readonly<Record<string, Rows>>, change: Partial<Manifest> = {}): void {
	const sections = Object.entries(tables).map(([name, rows]) => {
		const path = `${name}/00001.jsonl.gz`;
		const bytes = gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
		mkdirSync(join(folder, name));
		writeFileSync(join(folder, path), bytes);
		const sha256 = createHash("sha256").update(bytes).digest("hex");
		return { name, rows: rows.length, parts: [{ path, rows: rows.length, bytes: bytes.length, sha256 }] };
	});
	const manifest = {
		format: 1,
		id: "2026-11-22T00-00-00.000Z",
		migration: MIGRATION,
		started_at: "2026-11-22T00:00:00.000Z",
		ended_at: "2026-11-22T00:01:00.000Z",
		tables: sections.filter(({ name }) => name !== RETURNED),
		...(tables[RETURNED] === undefined ? {} : { returned: sections.find(({ name }) => name === RETURNED) }),
		objects: { name: "objects", rows: 0, parts: [] },
		...change,
	};
	writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
}

async function build() {
	return buildStaging(await openSource({ from: folder, stateDir: null }), join(folder, "staging.sqlite"));
}

const payload = (text: string, index: number) => ({ event_id: `event-${index}`, event_type: "task.published", body: text });
const payloads = ODD_TEXTS.map(payload);

describe("the tables of a backup", () => {
	it("are all tables, but for those that are derived or matter to requests under way only", () => {
		const db = openMigratedDatabase(MIGRATIONS);
		const tables = z
			.array(z.object({ name: z.string() }))
			.parse(
				db
					.prepare("select name from sqlite_schema where type = 'table' and name not like 'task_search%' and name not like 'sqlite_%'")
					.all(),
			);
		const listed = [...listBackupTables().map(({ name }) => name), ...DERIVED_TABLES, ...PASSING_TABLES];
		expect(listed.toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
		for (const { key } of listBackupTables()) expect(key).not.toEqual([]);
	});

	it("come before the tables that they refer to", () => {
		const names = listBackupTables().map(({ name }) => name);
		for (const { name, refersTo } of listBackupTables()) {
			for (const parent of refersTo) expect(names.indexOf(parent)).toBeGreaterThan(names.indexOf(name));
		}
	});
});

describe("a backup in a folder", () => {
	it("gives back every text as it was, through SQL in bounded statements", async () => {
		writeBackup({ webhook_payloads: payloads });
		const { db } = await build();
		const target = openMigratedDatabase(MIGRATIONS);
		target.exec(`create table ${PIECES_TABLE} (id integer, part integer, text text, primary key (id, part))`);
		for (const sql of writeInserts(db, "webhook_payloads")) {
			for (const statement of sql.split(";\n")) expect(statement.length).toBeLessThan(100_000);
			target.exec(sql);
		}
		const found = target.prepare("select * from webhook_payloads order by event_id").all();
		expect(found.map((row) => ({ ...row }))).toEqual(payloads);
	});

	it("adds rows that came back from the archive meanwhile, once, and lets the archive go on", async () => {
		const db = openMigratedDatabase(MIGRATIONS);
		db.exec(`insert into agents (id, display_name, tier, created_at) values ('poster', 'Poster', 'anonymous', 1);
			insert into tasks (id, company_id, status, title, category, budget_cents, deadline, eval_mode, test_weight, llm_weight, eval_network,
				eval_memory_mb, eval_timeout_seconds, max_submissions_per_agent, created_at, quiet_since)
				values ('task', 'poster', 'closed', 'Title', 'general', 10000, 1, 'llm', 0, 100, 'none', 512, 60, 15, 1, null);
			insert into submissions (id, task_id, agent_id, status, agent_display_name, created_at, updated_at) values
				('first', 'task', 'poster', 'registered', 'Poster', 1, 1), ('second', 'task', 'poster', 'registered', 'Poster', 1, 1);
			insert into task_archives (task_id, last_id, key) values ('task', 'first', 'archives/task/first.1.jsonl');
			insert into state_changes (subject_id, number, state) values ('first', 1, '{}'), ('first', 2, '{}')`);
		const rowsOf = (table: string) => rows.parse(db.prepare(`select * from ${table}`).all());
		const changes = rowsOf("state_changes").filter(({ subject_id }) => subject_id === "first");
		const returned = [
			{ table: "task_archives", row: JSON.stringify({ task_id: "task", last_id: "first", key: null }) },
			...changes.map((row) => ({ table: "state_changes", row: JSON.stringify(row) })),
		];
		const tables = Object.fromEntries(["agents", "tasks", "submissions", "task_archives"].map((table) => [table, rowsOf(table)]));
		writeBackup({ ...tables, state_changes: changes.slice(0, 1), returned });
		const restored = (await build()).db;
		expect(restored.prepare("select key from task_archives").all()).toEqual([{ key: null }]);
		expect(restored.prepare("select number from state_changes where subject_id = 'first'").all()).toEqual([{ number: 1 }, { number: 2 }]);
		// The second submission is in no part.
		expect(restored.prepare("select quiet_since from tasks").all()).toEqual([{ quiet_since: 0 }]);
	});

	it("drops rows that refer to what was deleted meanwhile, and says how many", async () => {
		const webhook = { kind: "task", value: "some", webhook_id: "gone" };
		writeBackup({ webhook_payloads: payloads, webhook_scopes: [webhook] });
		const { db, dropped } = await build();
		expect([...dropped]).toEqual([["webhook_scopes", 1]]);
		expect(db.prepare("select count(*) as rows from webhook_scopes").get()).toEqual({ rows: 0 });
	});

	it.each([
		["damaged", () => writeFileSync(join(folder, "webhook_payloads/00001.jsonl.gz"), "other bytes"), "is damaged"],
		["incomplete", () => rmSync(join(folder, "webhook_payloads/00001.jsonl.gz")), "is missing from the backup"],
		["unfinished", () => rmSync(join(folder, "manifest.json")), "it has no complete backup"],
		["of a later version", () => rmSync(join(folder, "webhook_payloads"), { recursive: true }), "does not know"],
	])("is refused when it is %s", async (kind, damage, message) => {
		writeBackup({ webhook_payloads: payloads }, kind === "of a later version" ? { migration: "9999_later.sql" } : {});
		damage();
		await expect(build()).rejects.toThrow(message);
	});

	it("is refused when its manifest counts other rows", async () => {
		writeBackup({ webhook_payloads: payloads });
		const source = await openSource({ from: folder, stateDir: null });
		const tables = source.manifest.tables.map((table) => ({ ...table, rows: table.rows + 1 }));
		rmSync(join(folder, "webhook_payloads"), { recursive: true });
		writeBackup({ webhook_payloads: payloads }, { tables });
		await expect(build()).rejects.toThrow("the manifest says");
	});
});
