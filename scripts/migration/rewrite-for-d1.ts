// Rewrites the output of drizzle-kit into a form that D1 accepts.
import type { DatabaseSync } from "node:sqlite";
import { CommandError } from "../support/command.ts";
import { hasDeleteAction, readColumns, readTriggers } from "./database.ts";

export const BREAKPOINT = "--> statement-breakpoint";

/**
 * Rewrites a migration, and runs each statement on a database in memory before it is written. To change a CHECK constraint, drizzle-kit
 * fills `__new_x`, drops `x` and renames, with foreign keys off. D1 cannot switch them off, and dropping `x` breaks every reference to it,
 * which only rows under the name `x` repair. Dropping `x` also drops its triggers, so they are created again.
 *
 * @param db A database with all earlier migrations.
 * @throws CommandError when a statement fails, or a rebuild would lose rows or leave a new column without a value.
 */
export function rewriteForD1(db: DatabaseSync, generated: string, tablesWithoutRowid: readonly string[]): string {
	const written: string[] = [];
	const run = (statement: string) => {
		execute(db, statement);
		written.push(statement);
	};
	const triggers = readTriggers(db);
	const statements = generated.split(BREAKPOINT).map((statement) => statement.trim());
	const rebuilt = new Set(statements.map((statement) => /^CREATE TABLE `__new_(\w+)`/.exec(statement)?.[1]));
	if (statements.some((statement) => statement.startsWith("DROP TABLE"))) run("PRAGMA defer_foreign_keys = on;");
	for (const statement of statements) {
		const { action, isNew, table } = readHead(statement);
		const sql = tablesWithoutRowid.includes(table) ? statement.replace(/\n\);$/, "\n) WITHOUT ROWID;") : statement;
		const isDropOfRebuilt = action === "DROP TABLE" && rebuilt.has(table);
		if (isNew) rewriteRebuild(db, { action, table, sql }).forEach(run);
		else if (!statement.startsWith("PRAGMA foreign_keys") && !isDropOfRebuilt) run(sql);
	}
	const left = readTriggers(db).map(({ name }) => name);
	for (const { name, sql } of triggers) if (!left.includes(name)) run(`${sql};`);
	return `${written.join(`\n${BREAKPOINT}\n`)}\n`;
}

/** Reads which action a statement performs on which table. `isNew` is true for the table that drizzle-kit renames at the end. */
function readHead(statement: string): { action: string; isNew: boolean; table: string } {
	const [, action = "", prefix, table = ""] = /^([A-Z]+ [A-Z]+) `(__new_)?(\w+)`/.exec(statement) ?? [];
	return { action, isNew: prefix !== undefined, table };
}

/** Returns the replacement for a statement about `__new_x`. The renaming has none, because the table keeps its name. */
function rewriteRebuild(db: DatabaseSync, { action, table, sql }: { action: string; table: string; sql: string }): string[] {
	if (action === "CREATE TABLE") return replaceTable(db, table, sql.replaceAll(`__new_${table}`, table));
	return action === "INSERT INTO" ? bringRowsBack(db, table) : [];
}

function execute(db: DatabaseSync, statement: string): void {
	try {
		db.exec(statement);
	} catch (error) {
		throw new CommandError(`SQLite rejects this statement: ${error instanceof Error ? error.message : error}\n\n${statement}`);
	}
}

/** Replaces a table. Dropping the old one deletes its rows first, and ON DELETE actions run even while foreign keys are deferred. */
function replaceTable(db: DatabaseSync, table: string, definition: string): string[] {
	if (hasDeleteAction(db, table)) {
		throw new CommandError(
			`A rebuild of ${table} would lose rows of tables that refer to it with ON DELETE. Write this migration by hand.`,
		);
	}
	return [`CREATE TABLE \`__old_${table}\` AS SELECT * FROM \`${table}\`;`, `DROP TABLE \`${table}\`;`, definition];
}

/** Copies rows back. drizzle-kit also selects new columns from the old table, and D1 reads the name of a missing column as a string. */
function bringRowsBack(db: DatabaseSync, table: string): string[] {
	const old = new Set(readColumns(db, `__old_${table}`).map(({ name }) => name));
	const columns = readColumns(db, table);
	const missing = columns.filter(({ name, isRequired }) => isRequired && !old.has(name)).map(({ name }) => name);
	if (missing.length > 0) {
		throw new CommandError(`Rows of ${table} have no value for ${missing.join(", ")}. Give each a default, or allow null.`);
	}
	const kept = columns.filter(({ name }) => old.has(name)).map(({ name }) => `\`${name}\``);
	return [
		`INSERT INTO \`${table}\` (${kept.join(", ")}) SELECT ${kept.join(", ")} FROM \`__old_${table}\`;`,
		`DROP TABLE \`__old_${table}\`;`,
	];
}
