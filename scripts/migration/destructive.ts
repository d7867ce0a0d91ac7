// Finds what a migration removes that the previous version needs.
import { DatabaseSync } from "node:sqlite";
import { readColumns } from "./database.ts";

/** The columns of each table. A column is required if an insert must provide its value. */
type Tables = ReadonlyMap<string, ReadonlyMap<string, { readonly isRequired: boolean }>>;

/**
 * Returns a sentence for each table or column that a migration removes or renames, each new column that the earlier code does not fill, and
 * each statement that deletes rows. The earlier code must work on the new schema, because `npm run deploy` applies a migration before the
 * code that needs it. A table may be rebuilt, as SQLite requires for a new constraint, if it keeps its columns.
 *
 * @param earlier The SQL of all earlier migrations, in order.
 */
export function findDestructive(earlier: readonly string[], sql: string): string[] {
	const db = new DatabaseSync(":memory:");
	for (const text of earlier) db.exec(text);
	const before = readTables(db);
	db.exec(sql);
	return [...compare(before, readTables(db)), ...findDeletions(sql)];
}

function compare(before: Tables, after: Tables): string[] {
	return [...before].flatMap(([table, columns]) => {
		const kept = after.get(table);
		if (kept === undefined) return [`It removes the table ${table}.`];
		return [
			...[...columns.keys()].filter((name) => !kept.has(name)).map((name) => `It removes ${table}.${name}.`),
			...[...kept]
				.filter(([name, { isRequired }]) => isRequired && columns.get(name)?.isRequired !== true)
				.map(([name]) => `Inserts of the earlier version do not fill ${table}.${name}. Give it a default.`),
		];
	});
}

/**
 * Finds the statements that delete rows. Triggers are ignored, because they can be dropped and created again, and their bodies count as
 * code.
 */
function findDeletions(sql: string): string[] {
	return sql
		.replaceAll(/^CREATE TRIGGER [\s\S]*?^END;$/gm, "")
		.replaceAll(/--.*$/gm, "")
		.split(";")
		.map((statement) => statement.replaceAll(/\s+/g, " ").trim())
		.filter((statement) => /^DELETE FROM/i.test(statement))
		.map((statement) => `It deletes rows: ${statement.slice(0, 200)}`);
}

function readTables(db: DatabaseSync): Tables {
	const tables = db.prepare("select name from sqlite_schema where type = 'table'").all();
	return new Map(
		tables.map(({ name }) => [String(name), new Map(readColumns(db, String(name)).map((column) => [column.name, column]))] as const),
	);
}
