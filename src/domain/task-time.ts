// The clock of a test task may be ahead of real time. Everything that a task decides uses the task's time; everything outside of it uses real time.
// All times are in milliseconds since the epoch.

interface Clocks {
	readonly now: number;
	readonly realNow: number;
}

/** Returns what the task's clock shows at a real time. */
export function toTaskTime({ now, realNow }: Clocks, realTime: number): number {
	return realTime + (now - realNow);
}

/** Returns the real time at which the task's clock shows this time. */
export function toRealTime({ now, realNow }: Clocks, taskTime: number): number {
	return taskTime - (now - realNow);
}

/** Returns what the clock of a task shows now, for code outside of its object. */
export function timeOfTask(task: { readonly clockOffsetMs: number }, realNow: number): number {
	return realNow + task.clockOffsetMs;
}
