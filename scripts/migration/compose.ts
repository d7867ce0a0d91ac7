// Puts a migration together: what drizzle-kit generated, and what brings triggers up to date.
import type { DatabaseSync } from "node:sqlite";
import { CommandError } from "../support/command.ts";
import { readColumns, readTriggers, type SchemaObject } from "./database.ts";
import { Draft, splitGenerated } from "./draft.ts";
import { runGenerated } from "./rebuild.ts";
import { foldSql, parseTriggers } from "./sql-files.ts";

export interface MigrationSources {
	/** The migration as drizzle-kit generated it; empty when the tables have not changed. */
	readonly generated: string;
	/** `src/db/triggers.sql`. */
	readonly triggersFile: string;
	readonly tablesWithoutRowid: readonly string[];
}

/**
 * Composes a migration and runs it.
 *
 * @param db A database with all earlier migrations, in memory.
 * @returns The text of the migration, empty when nothing differs.
 * @throws CommandError when a statement fails, or a trigger names a table or a column that does not exist.
 */
export function composeMigration(db: DatabaseSync, { generated, triggersFile, tablesWithoutRowid }: MigrationSources): string {
	const draft = new Draft(db);
	const triggers = parseTriggers(triggersFile);

	// A trigger that names a column keeps that column from being dropped, so those that change go first.
	for (const { name } of missingFrom(triggers, readTriggers(db))) draft.run(`DROP TRIGGER ${name};`);
	runGenerated(draft, splitGenerated(generated), tablesWithoutRowid);
	// Dropping a table to rebuild it drops its triggers, so this finds them too.
	for (const { sql } of missingFrom(readTriggers(db), triggers)) draft.run(sql);
	for (const trigger of triggers) assertCompiles(db, trigger);
	return draft.toFile();
}

/** CREATE TRIGGER takes names of columns that do not exist. SQLite looks them up when it compiles a statement that fires the trigger. */
function assertCompiles(db: DatabaseSync, { name, sql }: SchemaObject): void {
	const [, event, column, table = ""] = /\b(INSERT|UPDATE|DELETE)(?: OF (\w+))?[\s\S]*? ON (\w+)/.exec(sql) ?? [];
	const updated = column ?? readColumns(db, table)[0]?.name;
	const firing = {
		INSERT: `insert into ${table} default values`,
		UPDATE: `update ${table} set ${updated} = ${updated}`,
		DELETE: `delete from ${table}`,
	};
	try {
		db.prepare(event === "UPDATE" || event === "DELETE" ? firing[event] : firing.INSERT);
	} catch (error) {
		throw new CommandError(`Trigger ${name} does not fit the tables: ${error instanceof Error ? error.message : error}`);
	}
}

/** Those of `objects` that `others` has not, or has with another text. */
function missingFrom(others: readonly SchemaObject[], objects: readonly SchemaObject[]): SchemaObject[] {
	return objects.filter(({ name, sql }) => !others.some((other) => other.name === name && foldSql(other.sql) === foldSql(sql)));
}
