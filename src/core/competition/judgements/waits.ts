// A job waits when the platform cannot continue: a spending ceiling is reached, a supplier or grader is not available, or operators have
// paused judging. Waiting uses up neither attempts nor the time limit.
import type { JobRow } from "../../../db/task/schema/judging.ts";
import type { ShownWait } from "../../../domain/waits.ts";
import { DAY_MS } from "../../../platform/clock.ts";

/** The maximum for all waits of a job together. Pauses do not count. */
export const MAX_WAITING_MS = DAY_MS;

type WaitingJob = Pick<JobRow, "wait" | "waitedMs" | "isBound">;

/** Returns true for a bound job that waits for a spending ceiling: the extension that queued the job decides when this wait ends. */
function isUnlimited({ wait, isBound }: WaitingJob): boolean {
	return isBound && wait?.reason === "ceiling";
}

/**
 * Returns when a job has waited for too long, in milliseconds since the epoch. Returns null for a job that does not wait or may wait
 * without limit.
 */
export function waitEndOf(job: WaitingJob): number | null {
	const { wait, waitedMs } = job;
	if (wait === null || wait.reason === "paused" || isUnlimited(job)) return null;
	return wait.from + MAX_WAITING_MS - waitedMs;
}

/** Adds the time of the current wait to the job's total, and extends the time limit of the work by it. */
export function countWait<Job extends WaitingJob & Pick<JobRow, "giveUpAt">>(
	job: Job,
	now: number,
): Pick<JobRow, "wait" | "waitedMs" | "giveUpAt"> {
	const { wait, waitedMs, giveUpAt } = job;
	if (wait === null) return { wait, waitedMs, giveUpAt };
	const passedMs = Math.max(0, now - wait.from);
	const isCounted = wait.reason !== "paused" && !isUnlimited(job);
	return { wait: { ...wait, from: now }, waitedMs: waitedMs + (isCounted ? passedMs : 0), giveUpAt: giveUpAt + passedMs };
}

/**
 * Describes what a job is waiting for. Returns null if it is not waiting. A job is still waiting while an attempt runs.
 *
 * @param boundUntil When a bound job ends at the latest. Null if there is no limit.
 */
export function describeWait(job: WaitingJob, boundUntil: number | null = null): ShownWait | null {
	if (job.wait === null) return null;
	const { reason, message, since } = job.wait;
	return { reason, message, since, until: isUnlimited(job) ? boundUntil : waitEndOf(job) };
}
