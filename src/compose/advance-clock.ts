// Advances the clock of a Task object. Everything that falls due on the way happens in order, at its own time.
import { toRealTime } from "../domain/task-time.ts";
import type { WorkingDuty } from "../ports/joints.ts";
import type { TaskStore } from "../ports/task.ts";

interface Moving {
	readonly duties: readonly WorkingDuty[];
	/** Reads the task. Returns null if it has been deleted. */
	readonly read: () => TaskStore | null;
	/** Runs a change in a transaction. Returns the id of the outbox row that the change wrote, or null if it wrote none. */
	readonly change: (run: (task: TaskStore) => void) => string | null;
	/** Stores that the clock is `ms` more milliseconds ahead. */
	readonly move: (ms: number) => void;
}

/**
 * Advances the clock by `ms` milliseconds. Does not await anything, so if the object dies, either everything or nothing is written.
 *
 * @returns The id of the last outbox row that this wrote, or null if it wrote none.
 */
export function advanceClock({ duties, read, change, move }: Moving, ms: number): string | null {
	const inTaskTime = duties.filter(({ isInRealTime = false }) => !isInRealTime);
	let owed: string | null = null;
	let leftMs = ms;
	let done = new Set<WorkingDuty>();
	for (let task = read(); task !== null; task = read()) {
		const next = findNext(
			inTaskTime.filter((duty) => !done.has(duty)),
			{ task, leftMs },
		);
		const stepMs = next?.waitMs ?? leftMs;
		if (stepMs > 0) {
			change((moving) => {
				move(stepMs);
				for (const duty of duties) duty.noteAdvance?.(moving, stepMs);
			});
			leftMs -= stepMs;
			done = new Set();
		}
		if (next === null) break;
		// Each duty runs once per point in time. If it is still due afterwards, it waits for something other than time.
		done.add(next.duty);
		owed = change((settled) => next.duty.run(settled)) ?? owed;
	}
	return owed;
}

/** Returns the duty that is due first within the remaining time, and how long until then. */
function findNext(duties: readonly WorkingDuty[], { task, leftMs }: { readonly task: TaskStore; readonly leftMs: number }) {
	const waits = duties.map((duty) => ({ duty, waitMs: Math.max(0, (duty.dueAt(task) ?? Number.POSITIVE_INFINITY) - task.now) }));
	const [first] = waits.toSorted((one, other) => one.waitMs - other.waitMs);
	return first !== undefined && first.waitMs <= leftMs ? first : null;
}

/** Returns the real time at which a duty is due, or null for never. The task's clock may be ahead of real time. */
export function realDueAt(duty: WorkingDuty, task: TaskStore): number | null {
	const at = duty.dueAt(task);
	return at === null || duty.isInRealTime === true ? at : toRealTime(task, at);
}
