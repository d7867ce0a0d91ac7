import type { TaskDatabase } from "../../ports/task.ts";

/**
 * Declares a query that each Task object builds once, because building it costs more than running it.
 *
 * @param build Ends with `.prepare()`. Values that differ between calls are `sql.placeholder(name)`.
 */
export function prepareOnce<Query>(build: (db: TaskDatabase) => Query): (db: TaskDatabase) => Query {
	const known = new WeakMap<TaskDatabase, { readonly query: Query }>();
	return (db) => {
		const found = known.get(db);
		if (found !== undefined) return found.query;
		const query = build(db);
		known.set(db, { query });
		return query;
	};
}
