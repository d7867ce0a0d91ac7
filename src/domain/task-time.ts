// The clock of a test task may be ahead of real time. Decisions about the task use its clock, and everything else uses real time. All times
// are in milliseconds since the epoch.

interface Clocks {
	readonly now: number;
	readonly realNow: number;
}

/** Converts real time to the time on the task's clock. */
export function toTaskTime({ now, realNow }: Clocks, realTime: number): number {
	return realTime + (now - realNow);
}

/** Converts the time on the task's clock to real time. */
export function toRealTime({ now, realNow }: Clocks, taskTime: number): number {
	return taskTime - (now - realNow);
}

/** Returns the current time on a task's clock, for code that runs outside the Task object. */
export function timeOfTask(task: { readonly clockOffsetMs: number }, realNow: number): number {
	return realNow + task.clockOffsetMs;
}
