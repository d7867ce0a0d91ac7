import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Whether a task's deadline has passed. A deadline is over at its very millisecond. Times are milliseconds since the epoch. */
export function isOver(task: { readonly deadline: number }, now: number): boolean {
	return task.deadline <= now;
}

/** {@link isOver} as SQL. */
export function isOverSql(deadline: SQLWrapper, now: number): SQL {
	return sql`${deadline} <= ${now}`;
}

/** The opposite of {@link isOverSql}. */
export function isAheadSql(deadline: SQLWrapper, now: number): SQL {
	return sql`${deadline} > ${now}`;
}
