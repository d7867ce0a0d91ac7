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
