// Reads src/db/triggers.sql and src/db/search.sql, which hold what drizzle does not know.
import type { SchemaObject } from "./database.ts";

/** The triggers of a file, each ending with `END;` on a line of its own. Comments between them are left out. */
export function parseTriggers(file: string): SchemaObject[] {
	return [...file.matchAll(/^CREATE TRIGGER (\w+)[\s\S]*?^END;$/gm)].map(([sql, name = ""]) => ({ name, sql }));
}

/** The statements of a file without triggers. Comment lines are left out. */
export function parseStatements(file: string): string[] {
	return file
		.replaceAll(/^--.*\n/gm, "")
		.split(/(?<=;)\n/)
		.map((statement) => statement.trim())
		.filter((statement) => statement !== "");
}

/** A statement without what does not count: the amount of white space, and the semicolon at the end. */
export function foldSql(sql: string): string {
	return sql.replaceAll(/\s+/g, " ").replace(/;$/, "");
}
