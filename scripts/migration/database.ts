// Applies every migration to a database in memory, to see the result.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { listMigrations, MIGRATION_FOLDERS } from "../support/databases.ts";

/** The folder with the migrations of the main database. */
export const MIGRATIONS = MIGRATION_FOLDERS.DB;

/** Applies migrations to an empty database. Foreign keys are enforced, as in D1. */
export function openMigratedDatabase(folder: string): DatabaseSync {
	const db = new DatabaseSync(":memory:");
	for (const file of listMigrations(folder)) db.exec(readFileSync(join(folder, file), "utf8"));
	return db;
}

const triggers = z.array(z.object({ name: z.string(), table: z.string(), sql: z.string() }));

export function readTriggers(db: DatabaseSync): z.output<typeof triggers> {
	return triggers.parse(db.prepare("select name, tbl_name as 'table', sql from sqlite_schema where type = 'trigger' order by name").all());
}

/** Returns true if deleting a row of a table deletes or changes rows that refer to it. */
export function hasDeleteAction(db: DatabaseSync, table: string): boolean {
	const references = db.prepare(
		`select 1 from sqlite_schema as s, pragma_foreign_key_list(s.name) as f
		where s.type = 'table' and f."table" = ? and f.on_delete <> 'NO ACTION'`,
	);
	return references.get(table) !== undefined;
}

const columns = z.array(z.object({ name: z.string(), isRequired: z.number().transform(Boolean) }));

/** Returns the columns of a table. A column is required if an insert must provide its value. */
export function readColumns(db: DatabaseSync, table: string): z.output<typeof columns> {
	return columns.parse(db.prepare('select name, "notnull" = 1 and dflt_value is null as isRequired from pragma_table_info(?)').all(table));
}
