/** How long after the deadline a registered submission may still be completed. Contract: ruling "Tasks". */
export const UPLOAD_GRACE_MS = 60 * 60 * 1000;

/** Whether a task's deadline has passed. A deadline is over at its very millisecond. Times are milliseconds since the epoch. */
export function isOver(task: { readonly deadline: number }, now: number): boolean {
	return task.deadline <= now;
}
