// Reads src/db/triggers.sql, which drizzle does not know.
import type { SchemaObject } from "./database.ts";

/** The triggers of a file, each ending with `END;` on a line of its own. Comments between them are left out. */
export function parseTriggers(file: string): SchemaObject[] {
	return [...file.matchAll(/^CREATE TRIGGER (\w+)[\s\S]*?^END;$/gm)].map(([sql, name = ""]) => ({ name, sql }));
}

/** A statement without what does not count: the amount of white space, and the semicolon at the end. */
export function foldSql(sql: string): string {
	return sql.replaceAll(/\s+/g, " ").replace(/;$/, "");
}
