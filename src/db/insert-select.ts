import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

type Value = SQL | string | number | null;

/**
 * The `select` of an `insert … select`, with one value per column by name. Drizzle matches a hand-written `select` by position:
 * a new column in the middle of a table would shift the values that follow it.
 *
 * @param source What follows the list: `from …`.
 */
export function selectValues<Table extends SQLiteTable>(
	table: Table,
	values: Readonly<Record<keyof Table["_"]["columns"] & string, Value>>,
	source: SQL,
): SQL {
	const byColumn: Readonly<Record<string, Value | undefined>> = values;
	const list = Object.keys(getTableColumns(table)).map((name) => sql`${byColumn[name]}`);
	return sql`select ${sql.join(list, sql`, `)} ${source}`;
}
