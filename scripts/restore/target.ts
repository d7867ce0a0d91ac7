// The database that a backup is restored into.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { DERIVED_TABLES, listBackupTables } from "../../src/db/backup-tables.ts";
import { localDatabase, queryDatabase, remoteDatabase } from "../admin/query-database.ts";
import { updateSchema } from "../deploy/schema.ts";
import { parseTriggers } from "../migration/sql-files.ts";
import { CommandError } from "../support/command.ts";
import { migrateLocally } from "../support/local-database.ts";
import { PROJECT_ROOT, requireWrangler } from "../support/wrangler.ts";
import { PIECES_TABLE, writeInserts } from "./sql-writer.ts";

export type RestoreTarget =
	| { readonly kind: "local"; readonly stateDir: string }
	| { readonly kind: "remote"; readonly environment: string | null };

const flagsOf = (target: RestoreTarget) => (target.kind === "local" ? localDatabase(target.stateDir) : remoteDatabase(target.environment));

/** Everything with rows that a restore writes, parents first. */
const listTables = (): string[] => [
	...listBackupTables()
		.map(({ name }) => name)
		.toReversed(),
	...DERIVED_TABLES,
];

/** Creates the schema where it is missing. */
export async function migrate(target: RestoreTarget): Promise<void> {
	if (target.kind === "local") await migrateLocally(target.stateDir);
	else await updateSchema({ environment: target.environment, allowsDestructive: false });
}

/**
 * Checks a database before its schema is created or changed, so it may lack any table.
 *
 * @throws CommandError that names the tables with rows.
 */
export async function assertEmpty(target: RestoreTarget): Promise<void> {
	const existing = await listNames(target, "table");
	const tables = listTables().filter((table) => existing.includes(table));
	const counts = tables.length === 0 ? {} : await countRows(target, tables);
	const filled = Object.entries(counts).filter(([, rows]) => rows > 0);
	if (filled.length === 0) return;
	const list = filled.map(([table, rows]) => `${table} (${rows})`).join(", ");
	throw new CommandError(`The database is not empty, so nothing was changed. It has rows in ${list}. Restore into a new environment.`);
}

const counted = z.record(z.string(), z.number());

/** The rows of each table. */
async function countRows(target: RestoreTarget, tables: readonly string[]): Promise<Record<string, number>> {
	const columns = tables.map((table) => `(SELECT count(*) FROM "${table}") AS "${table}"`);
	const [row] = await queryDatabase({ sql: `SELECT ${columns.join(", ")}`, row: counted }, flagsOf(target));
	return row ?? {};
}

const named = z.object({ name: z.string() });

/** The names of all tables or triggers, in order. */
async function listNames(target: RestoreTarget, type: "table" | "trigger"): Promise<string[]> {
	const rows = await queryDatabase(
		{ sql: `SELECT name FROM sqlite_schema WHERE type = '${type}' ORDER BY name`, row: named },
		flagsOf(target),
	);
	return rows.map(({ name }) => name);
}

/** How many tasks a statement adds to the search index. */
const SEARCH_BATCH = 500;

/**
 * Writes all rows of a database to the target: without triggers, which would count everything once more, and parents first.
 * Then come the triggers, and with their help the search index.
 */
export async function load(target: RestoreTarget, db: DatabaseSync): Promise<void> {
	const triggers = await listNames(target, "trigger");
	const created = parseTriggers(await readFile(join(PROJECT_ROOT, "src/db/triggers.sql"), "utf8"));
	let batch = "";
	for (const text of writeFiles(db, { before: triggers, after: created.map(({ sql }) => sql) })) {
		if (batch.length + text.length > MAX_BATCH_BYTES && batch !== "") {
			await runFile(target, batch);
			batch = "";
		}
		batch += `${text}\n`;
	}
	await runFile(target, batch);
}

/** Small texts share a file, because each file starts wrangler once. */
const MAX_BATCH_BYTES = 8_000_000;

interface Triggers {
	/** Names of those to drop before the rows. */
	readonly before: readonly string[];
	/** Statements of those to create after them. */
	readonly after: readonly string[];
}

/** Everything that is written, in its order. */
function* writeFiles(db: DatabaseSync, { before, after }: Triggers): Generator<string> {
	const pieces = `CREATE TABLE ${PIECES_TABLE} (id INTEGER, part INTEGER, text TEXT, PRIMARY KEY (id, part));`;
	yield [...before.map((name) => `DROP TRIGGER "${name}";`), pieces].join("\n");
	for (const table of listTables()) yield* writeInserts(db, table);
	yield [`DROP TABLE ${PIECES_TABLE};`, ...after].join("\n");
	yield* fillSearch(db);
}

/** The trigger task_search_changed writes the index, as it does when a task is edited. */
function* fillSearch(db: DatabaseSync): Generator<string> {
	const ids = z.array(z.object({ id: z.string() })).parse(db.prepare("SELECT id FROM tasks WHERE status <> 'draft' ORDER BY id").all());
	for (let start = 0; start < ids.length; start += SEARCH_BATCH) {
		const [first, last] = [ids[start]?.id, ids[Math.min(start + SEARCH_BATCH, ids.length) - 1]?.id];
		yield `UPDATE tasks SET title = title WHERE status <> 'draft' AND id BETWEEN '${first}' AND '${last}';`;
	}
}

async function runFile(target: RestoreTarget, sql: string): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-restore-"));
	try {
		const file = join(folder, "part.sql");
		await writeFile(file, `${sql}\n`);
		await requireWrangler("d1", "execute", "DB", ...flagsOf(target), "--file", file);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/**
 * Compares the target with what was to be written: rows, triggers, and the tasks in the search index.
 *
 * @throws CommandError that names the differences.
 */
export async function verify(target: RestoreTarget, db: DatabaseSync): Promise<Record<string, number>> {
	const counts = await countRows(target, listTables());
	const faults = listTables().flatMap((table) => {
		const { rows } = z.object({ rows: z.number() }).parse(db.prepare(`SELECT count(*) AS rows FROM "${table}"`).get());
		return counts[table] === rows ? [] : [`${table} has ${counts[table]} rows instead of ${rows}`];
	});
	const expected = parseTriggers(await readFile(join(PROJECT_ROOT, "src/db/triggers.sql"), "utf8")).map(({ name }) => name);
	if ((await listNames(target, "trigger")).join() !== expected.toSorted().join())
		faults.push("the triggers are not those of src/db/triggers.sql");
	const indexed = { sql: "SELECT count(*) AS documents FROM task_search_docsize", row: z.object({ documents: z.number() }) };
	const [search] = await queryDatabase(indexed, flagsOf(target));
	if (search?.documents !== counts["searched_tasks"]) faults.push("the search index is not complete");
	if (faults.length > 0) throw new CommandError(`The restored database is not what the backup says: ${faults.join("; ")}.`);
	return counts;
}
