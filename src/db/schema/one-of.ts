import { type SQL, sql } from "drizzle-orm";

/**
 * Builds the condition of a CHECK constraint from a list in the code. The values are literals, because drizzle does not write parameters
 * into migrations.
 */
export function isOneOf(column: string, values: readonly string[]): SQL {
	return sql.raw(`${column} in (${values.map((value) => `'${value}'`).join(",")})`);
}
