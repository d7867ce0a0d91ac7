import type { TaskDatabase } from "../../ports/task.ts";

/**
 * Declares a query that each Task object builds once, because building it costs more than running it.
 *
 * @param build Ends with `.prepare()`. Values that differ between calls are `sql.placeholder(name)`.
 */
export function prepareOnce<Query>(build: (db: TaskDatabase) => Query): (db: TaskDatabase) => Query {
	const queries = new WeakMap<TaskDatabase, { readonly query: Query }>();
	return (db) => {
		const entry = queries.get(db);
		if (entry !== undefined) return entry.query;
		const query = build(db);
		queries.set(db, { query });
		return query;
	};
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
