// A database on this machine in which a backup is put together and checked, before anything is written to the target.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { listBackupTables } from "../../src/db/backup-tables.ts";
import { returnedLine, type Section } from "../../src/features/backup/schemas.ts";
import { listMigrations, MIGRATIONS, readColumns, readTriggers } from "../migration/database.ts";
import { parseStatements } from "../migration/sql-files.ts";
import { CommandError } from "../support/command.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import { type BackupSource, type Row, rowSchema } from "./source.ts";

export interface Staging {
	readonly db: DatabaseSync;
	/** Rows that were left out, by table: what they refer to was deleted while the backup was made. */
	readonly dropped: ReadonlyMap<string, number>;
}

/**
 * Builds the database that the backup describes, at the schema of this checkout: the schema of the backup, its rows without triggers,
 * the migrations since then, and the tables that triggers keep.
 *
 * @param path A file that does not exist yet.
 * @throws CommandError when the backup is damaged, or newer than this checkout.
 */
export async function buildStaging(source: BackupSource, path: string): Promise<Staging> {
	const { manifest } = source;
	const migrations = listMigrations(MIGRATIONS);
	const level = migrations.indexOf(manifest.migration);
	if (level < 0) {
		throw new CommandError(
			`The backup has the schema of ${manifest.migration}, which this checkout does not know. Check out the version that made it.`,
		);
	}
	const db = new DatabaseSync(path);
	db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF");
	for (const file of migrations.slice(0, level + 1)) applyMigration(db, file);
	const triggers = readTriggers(db);
	for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`);
	for (const section of manifest.tables) await loadTable(db, source, section);
	if (manifest.returned !== undefined) await loadReturned(db, source, manifest.returned);
	const dropped = dropDangling(db);
	resumeArchives(db);
	for (const { sql } of triggers) db.exec(sql);
	for (const file of migrations.slice(level + 1)) applyMigration(db, file);
	for (const { name } of readTriggers(db)) db.exec(`DROP TRIGGER "${name}"`);
	for (const statement of parseStatements(readFileSync(join(PROJECT_ROOT, "src/db/counters.sql"), "utf8"))) db.exec(statement);
	return { db, dropped };
}

function applyMigration(db: DatabaseSync, file: string): void {
	db.exec(readFileSync(join(MIGRATIONS, file), "utf8"));
}

async function loadTable(db: DatabaseSync, source: BackupSource, section: BackupSource["manifest"]["tables"][number]): Promise<void> {
	const columns = readColumns(db, section.name).map(({ name }) => name);
	if (columns.length === 0) throw new CommandError(`The backup has a table ${section.name}, which its own schema does not have.`);
	const insert = db.prepare(
		`INSERT INTO "${section.name}" (${columns.map((name) => `"${name}"`).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
	);
	for await (const rows of source.readRows(section)) {
		db.exec("BEGIN");
		for (const row of rows) insert.run(...columns.map((column) => readValue(row, column)));
		db.exec("COMMIT");
	}
}

/** Adds rows that the copies of their tables lack because they were in the archive, and says that they are in D1. */
async function loadReturned(db: DatabaseSync, source: BackupSource, section: Section): Promise<void> {
	for await (const lines of source.readRows(section)) {
		for (const line of lines) {
			const { table, row } = returnedLine.parse(line);
			const values = rowSchema.parse(JSON.parse(row));
			const columns = readColumns(db, table).map(({ name }) => name);
			const names = columns.map((name) => `"${name}"`).join(", ");
			const verb = table === "task_archives" ? "REPLACE" : "IGNORE";
			const insert = `INSERT OR ${verb} INTO "${table}" (${names}) VALUES (${columns.map(() => "?").join(", ")})`;
			db.prepare(insert).run(...columns.map((column) => readValue(values, column)));
		}
	}
}

/** A task whose last part was archived during the backup may come without this part. The sweep then goes on with it. */
function resumeArchives(db: DatabaseSync): void {
	if (readColumns(db, "task_archives").length === 0) return;
	db.exec(`UPDATE tasks SET quiet_since = 0 WHERE status = 'closed' AND quiet_since IS NULL AND EXISTS (
		SELECT 1 FROM submissions WHERE task_id = tasks.id
			AND id > coalesce((SELECT max(last_id) FROM task_archives WHERE task_id = tasks.id), ''))`);
}

function readValue(row: Row, column: string): string | number | null {
	const value = row[column];
	if (value === undefined) throw new CommandError(`A row of the backup has no column ${column}.`);
	return value;
}

const violations = z.array(z.object({ table: z.string(), rowid: z.number().nullable() }));

/**
 * Deletes rows that refer to rows which the backup does not have: a draft and what belongs to it may be deleted between the copies
 * of two tables. Repeats, because other rows may refer to the deleted ones.
 */
function dropDangling(db: DatabaseSync): Map<string, number> {
	const dropped = new Map<string, number>();
	const references = listReferences(db);
	for (;;) {
		const found = violations.parse(db.prepare("PRAGMA foreign_key_check").all());
		if (found.length === 0) return dropped;
		let deleted = 0;
		for (const { table, from, to, parent } of references) {
			const sql = `DELETE FROM "${table}" WHERE "${from}" IS NOT NULL AND "${from}" NOT IN (SELECT "${to}" FROM "${parent}")`;
			const changes = Number(db.prepare(sql).run().changes);
			deleted += changes;
			if (changes > 0) dropped.set(table, (dropped.get(table) ?? 0) + changes);
		}
		if (deleted === 0) throw new CommandError(`Rows of ${found[0]?.table} refer to rows that do not exist.`);
	}
}

const references = z.array(z.object({ from: z.string(), to: z.string(), parent: z.string() }));

function listReferences(db: DatabaseSync) {
	return listBackupTables().flatMap(({ name }) =>
		references
			.parse(db.prepare('select "from", "to", "table" as parent from pragma_foreign_key_list(?)').all(name))
			.map((reference) => ({ table: name, ...reference })),
	);
}
