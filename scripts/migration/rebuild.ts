// Runs what drizzle-kit generates in a form that D1 accepts.
import { CommandError } from "../support/command.ts";
import { hasDeleteAction, readColumns } from "./database.ts";
import type { Draft } from "./draft.ts";

/**
 * Runs generated statements. Where they rebuild a table, other statements take their place.
 *
 * drizzle-kit fills `__new_x`, drops `x` and renames, with foreign keys off. D1 cannot switch them off, only check them at the
 * end, and dropping `x` counts as breaking every reference to it. Only rows that come back under the name `x` mend that.
 *
 * @throws CommandError when a statement fails, or a rebuild would lose rows or leave a new column without a value.
 */
export function runGenerated(draft: Draft, statements: readonly string[], tablesWithoutRowid: readonly string[]): void {
	const rebuilt = new Set(statements.map((statement) => /^CREATE TABLE `__new_(\w+)`/.exec(statement)?.[1]));
	if (statements.some((statement) => statement.startsWith("DROP TABLE"))) draft.run("PRAGMA defer_foreign_keys = on;");
	for (const statement of statements) {
		const { action, isNew, table } = readHead(statement);
		const sql = tablesWithoutRowid.includes(table) ? statement.replace(/\n\);$/, "\n) WITHOUT ROWID;") : statement;
		if (isNew && action === "CREATE TABLE") replaceTable(draft, table, sql.replaceAll(`__new_${table}`, table));
		else if (isNew && action === "INSERT INTO") bringRowsBack(draft, table);
		else if (!isLeftOut(statement, { isNew, isRebuilt: rebuilt.has(table) })) draft.run(sql);
	}
}

/** What a statement does to which table. `isNew` is for the table that drizzle-kit renames in the end. */
function readHead(statement: string): { action: string; isNew: boolean; table: string } {
	const [, action = "", prefix, table = ""] = /^([A-Z]+ [A-Z]+) `(__new_)?(\w+)`/.exec(statement) ?? [];
	return { action, isNew: prefix !== undefined, table };
}

function isLeftOut(statement: string, { isNew, isRebuilt }: { isNew: boolean; isRebuilt: boolean }): boolean {
	return statement.startsWith("PRAGMA foreign_keys") || isNew || (isRebuilt && statement.startsWith("DROP TABLE"));
}

/** Dropping a table deletes its rows first, and the actions of references run even while their checks wait. */
function replaceTable(draft: Draft, table: string, definition: string): void {
	if (hasDeleteAction(draft.db, table)) {
		throw new CommandError(
			`A rebuild of ${table} would lose rows of tables that refer to it with ON DELETE. Write this migration by hand.`,
		);
	}
	draft.run(`CREATE TABLE \`__old_${table}\` AS SELECT * FROM \`${table}\`;`);
	draft.run(`DROP TABLE \`${table}\`;`);
	draft.run(definition);
}

/** drizzle-kit selects new columns from the old table too, and D1 takes the name of one that is not there for a string. */
function bringRowsBack(draft: Draft, table: string): void {
	const old = new Set(readColumns(draft.db, `__old_${table}`).map(({ name }) => name));
	const columns = readColumns(draft.db, table);
	const missing = columns.filter(({ name, isRequired }) => isRequired && !old.has(name)).map(({ name }) => name);
	if (missing.length > 0) {
		throw new CommandError(`Rows of ${table} have no value for ${missing.join(", ")}. Give each a default, or let it be null.`);
	}
	const kept = columns.filter(({ name }) => old.has(name)).map(({ name }) => `\`${name}\``);
	draft.run(`INSERT INTO \`${table}\` (${kept.join(", ")}) SELECT ${kept.join(", ")} FROM \`__old_${table}\`;`);
	draft.run(`DROP TABLE \`__old_${table}\`;`);
}
