// The databases of local platforms, as files: the imitation of Cloudflare's API reads and writes them, and the rehearsal compares them.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { PASSING_TABLES } from "../../src/db/backup-tables.ts";
import { localDatabase, queryDatabase } from "../admin/query-database.ts";

const LOCK_TIMEOUT_MS = 10_000;

/** Creates the empty database of a platform that has never started. */
export async function createDatabase(stateDir: string): Promise<void> {
	await queryDatabase({ sql: "SELECT 1 AS one", row: z.object({ one: z.literal(1) }) }, localDatabase(stateDir));
}

/** Opens the database in a state folder, which a platform may be using. */
export function openDatabase(stateDir: string): DatabaseSync {
	const folder = join(stateDir, "v3", "d1", "miniflare-D1DatabaseObject");
	const [file] = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
	if (file === undefined) throw new Error(`${folder} has no database.`);
	return new DatabaseSync(join(folder, file), { timeout: LOCK_TIMEOUT_MS });
}

/** Names of the applied migrations, in their order. */
export function listApplied(db: DatabaseSync): string[] {
	return db
		.prepare("SELECT name FROM d1_migrations ORDER BY id")
		.all()
		.map(({ name }) => String(name));
}

/** Names of the tables, without those of the runtime. */
export function listTables(stateDir: string): string[] {
	const db = openDatabase(stateDir);
	const rows = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '_cf_%' ORDER BY name").all();
	db.close();
	return rows.map(({ name }) => String(name));
}

const schemaObjects = z.array(z.object({ name: z.string(), sql: z.string() }));
const SCHEMA_OBJECTS =
	"select name, sql from sqlite_schema where sql is not null and name not like '_cf_%' and name not like 'sqlite_%' order by name";

/** Every table, index and trigger, and all rows but for what belongs to requests under way. */
export function readDatabase(stateDir: string): Record<string, unknown> {
	const db = openDatabase(stateDir);
	try {
		const objects = schemaObjects.parse(db.prepare(SCHEMA_OBJECTS).all());
		const tables = objects.filter(
			({ name, sql }) => /^create table/i.test(sql) && !/^(task_search|d1_)/.test(name) && !PASSING_TABLES.includes(name),
		);
		const rows = tables.map(({ name }) => [name, listRows(db, name)]);
		const indexed = db.prepare("select count(*) as documents from task_search where task_search match 'parse'").get();
		// The ledger of migrations is created by wrangler or by npm run deploy, each in its own spelling.
		const schema = objects.filter(({ name }) => !name.startsWith("task_search_") && name !== "d1_migrations");
		return { ...Object.fromEntries(rows), schema, applied: listApplied(db), indexed: { ...indexed } };
	} finally {
		db.close();
	}
}

/** As text, in an order that does not depend on the database. Counters at zero are as good as none: a restore does not write them. */
function listRows(db: DatabaseSync, table: string): string[] {
	const isCounted = (row: Record<string, unknown>) =>
		table !== "agent_counts" ||
		Object.values(row)
			.slice(1)
			.some((count) => count !== 0);
	return db
		.prepare(`select * from "${table}"`)
		.all()
		.filter(isCounted)
		.map((row) => JSON.stringify(row))
		.toSorted();
}
