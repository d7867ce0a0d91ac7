import { type AnyColumn, getTableColumns, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { TaskDatabase } from "../../ports/task.ts";

/**
 * Declares a query that each Task object builds once, because building it costs more than running it.
 *
 * @param build Ends with `.prepare()`. Values that differ between calls are `sql.placeholder(name)`. Further arguments must be the same for
 * every call on an object, as the parts of the platform are.
 */
export function prepareOnce<Query, Fixed extends readonly unknown[]>(
	build: (db: TaskDatabase, ...fixed: Fixed) => Query,
): (db: TaskDatabase, ...fixed: Fixed) => Query {
	const queries = new WeakMap<TaskDatabase, { readonly query: Query }>();
	return (db, ...fixed) => {
		const entry = queries.get(db);
		if (entry !== undefined) return entry.query;
		const query = build(db, ...fixed);
		queries.set(db, { query });
		return query;
	};
}

/** Builds a condition on any number of values, because SQLite takes at most 100 parameters. The placeholder's value is a JSON array. */
export function isOneOf(column: AnyColumn, placeholder: string): SQL {
	return sql`${column} in (select value from json_each(${sql.placeholder(placeholder)}))`;
}

/** Returns a placeholder for each column of a table, so that a prepared insert takes a whole row. */
export function placeholdersFor<Table extends SQLiteTable>(table: Table): Record<keyof Table["$inferInsert"], Placeholder> {
	const names = Object.keys(getTableColumns(table));
	return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as Record<keyof Table["$inferInsert"], Placeholder>;
}

interface Memory {
	readonly changes: number;
	readonly values: Map<unknown, unknown>;
}

const memories = new WeakMap<TaskDatabase, Memory>();

/**
 * Declares a read that a Task object repeats only after a row was written, because reading the task's row is much slower than asking
 * whether anything has changed.
 *
 * @param read Depends only on the database. Callers must not change its result.
 */
export function readOnce<Value>(read: (db: TaskDatabase) => Value): (db: TaskDatabase) => Value {
	return (db) => {
		const { values } = memoryOf(db);
		if (!values.has(read)) values.set(read, read(db));
		return values.get(read) as Value;
	};
}

/** Call this after a transaction was rolled back, because that does not count as a change. */
export function forgetReads(db: TaskDatabase): void {
	memories.delete(db);
}

/** Counts the rows that were written since the object woke up. */
export function countChanges(db: TaskDatabase): number {
	return db.$client.sql.exec<{ changes: number }>("select total_changes() as changes").one().changes;
}

/** Returns what reads have returned since the last change. */
function memoryOf(db: TaskDatabase): Memory {
	const changes = countChanges(db);
	const memory = memories.get(db);
	if (memory?.changes === changes) return memory;
	const empty: Memory = { changes, values: new Map() };
	memories.set(db, empty);
	return empty;
}
