import { type SQL, sql } from "drizzle-orm";

/** Makes the condition of a CHECK constraint from a list of the code. The values are literals, because drizzle writes no parameters into a migration. */
export function isOneOf(column: string, values: readonly string[]): SQL {
	return sql.raw(`${column} in (${values.map((value) => `'${value}'`).join(",")})`);
}
