/** A registered submission can still be completed this long after the deadline. Contract: ruling "Tasks". */
export const UPLOAD_GRACE_MS = 60 * 60 * 1000;

/** Returns true once a task's deadline has come, at its very millisecond. Times are milliseconds since the epoch. */
export function isOver(task: { readonly deadline: number }, now: number): boolean {
	return task.deadline <= now;
}
