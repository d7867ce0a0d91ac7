import { type AnyColumn, getTableColumns, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { TaskDatabase } from "../../ports/task.ts";

/**
 * Declares a query that each Task object builds only once, because building it takes longer than running it.
 *
 * @param build Ends with `.prepare()`. Values that differ between calls are `sql.placeholder(name)`. Its arguments after `db` must be the
 * same in every call on the same object.
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

/** The condition that a column has one of any number of values, given as a JSON array. SQLite would take at most 100 parameters. */
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
 * Declares a read whose result a Task object keeps until a row is written, because finding out whether anything has changed is much faster
 * than reading.
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

/** Forgets the results of reads. Call this after a transaction is rolled back, which {@link countChanges} does not count as a change. */
export function forgetReads(db: TaskDatabase): void {
	memories.delete(db);
}

/** Returns the number of rows that were written since the object woke up. */
export function countChanges(db: TaskDatabase): number {
	return db.$client.sql.exec<{ changes: number }>("select total_changes() as changes").one().changes;
}

/** Returns the results of {@link readOnce} since the last change. */
function memoryOf(db: TaskDatabase): Memory {
	const changes = countChanges(db);
	const memory = memories.get(db);
	if (memory?.changes === changes) return memory;
	const empty: Memory = { changes, values: new Map() };
	memories.set(db, empty);
	return empty;
}
