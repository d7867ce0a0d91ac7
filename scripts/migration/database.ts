// A database in memory with every migration applied, to see what they produce.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { PROJECT_ROOT } from "../support/wrangler.ts";

export const MIGRATIONS = join(PROJECT_ROOT, "migrations");

/** Names of the migration files, in the order in which they are applied. */
export function listMigrations(folder: string): string[] {
	return readdirSync(folder)
		.filter((file) => file.endsWith(".sql"))
		.toSorted();
}

/** Applies migrations to an empty database. Foreign keys are enforced, as in D1. */
export function openMigratedDatabase(folder: string): DatabaseSync {
	const db = new DatabaseSync(":memory:");
	for (const file of listMigrations(folder)) db.exec(readFileSync(join(folder, file), "utf8"));
	return db;
}

export interface SchemaObject {
	readonly name: string;
	readonly sql: string;
}

const schemaObjects = z.array(z.object({ name: z.string(), sql: z.string() }));

/** The triggers of a database, by name. */
export function readTriggers(db: DatabaseSync): SchemaObject[] {
	return schemaObjects.parse(db.prepare("select name, sql from sqlite_schema where type = 'trigger' order by name").all());
}

/** The virtual tables of a database, in the order of their creation. */
export function readVirtualTables(db: DatabaseSync): SchemaObject[] {
	const tables = db.prepare("select name, sql from sqlite_schema where sql like 'create virtual table%' order by rowid").all();
	return schemaObjects.parse(tables);
}

/** Whether deleting a row of a table deletes or changes rows that refer to it. */
export function hasDeleteAction(db: DatabaseSync, table: string): boolean {
	const references = db.prepare(
		`select 1 from sqlite_schema as s, pragma_foreign_key_list(s.name) as f
		where s.type = 'table' and f."table" = ? and f.on_delete <> 'NO ACTION'`,
	);
	return references.get(table) !== undefined;
}

const columns = z.array(z.object({ name: z.string(), isRequired: z.number().transform(Boolean) }));

/** The columns of a table. A column is required if an insert must give its value. */
export function readColumns(db: DatabaseSync, table: string): z.output<typeof columns> {
	return columns.parse(db.prepare('select name, "notnull" = 1 and dflt_value is null as isRequired from pragma_table_info(?)').all(table));
}
