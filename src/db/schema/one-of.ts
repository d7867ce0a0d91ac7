// The condition of a CHECK constraint that takes its values from the list that the code has.
import { type SQL, sql } from "drizzle-orm";

/** True for rows whose column has one of the values. Drizzle writes no parameters into a migration, so the values are literals. */
export function isOneOf(column: string, values: readonly string[]): SQL {
	return sql.raw(`${column} in (${values.map((value) => `'${value}'`).join(",")})`);
}
