import { commit } from "../../../db/commit.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../../platform/clock.ts";
import { idFloorAt } from "../../../platform/ids.ts";
import type { Deps } from "../../../ports/deps.ts";
import { putQueueAge, putQueueHour } from "./statements.ts";
import { countFailures, readBacklog } from "./store.ts";
import { countTaskJobs } from "./task-jobs.ts";

export const QUEUE_HOURS = 7 * 24;

export type PlatformState = Awaited<ReturnType<typeof readPlatformState>>["state"];

/** Writes the platform's load as a data point every minute, so that a standstill is also visible. */
export async function writePlatformState(deps: Deps, state: PlatformState): Promise<void> {
	deps.metrics.write("state", state);
	const ageMs = Math.round(state.queue_age_seconds * SECOND_MS);
	const hour = Math.floor(deps.clock.now() / HOUR_MS);
	await commit(deps.db, [putQueueAge(deps, ageMs), ...putQueueHour(deps, { hour, waiting: state.waiting, ageMs }, hour - QUEUE_HOURS)]);
}

/** Longer than any evaluation takes. An evaluation may wait for a day and run for hours. */
const LONGEST_EVALUATION_MS = 2 * DAY_MS;

/** Counts the evaluations that failed since a time, by class. */
export async function readFailures(deps: Deps, since: number): Promise<Readonly<Record<string, number>>> {
	const failures = await countFailures(deps, { since, firstId: idFloorAt(since - LONGEST_EVALUATION_MS) });
	return Object.fromEntries(failures.map(({ failure, jobs }) => [failure, jobs]));
}

/** Reads the platform's load, and what evaluations are waiting for: the deployment's ceiling, a supplier or a grader. */
export async function readPlatformState(deps: Deps) {
	const now = deps.clock.now();
	const [backlog, ofTasks] = await Promise.all([readBacklog(deps), countTaskJobs(deps)]);
	const queueAgeMs = ofTasks.untouchedSince === null ? 0 : Math.max(0, now - ofTasks.untouchedSince);
	const state = {
		queue_age_seconds: queueAgeMs / SECOND_MS,
		waiting: ofTasks.waiting,
		running: ofTasks.running,
		stuck: ofTasks.stuck,
		delivery_backlog: backlog.deliveries,
		delivery_age_seconds: backlog.oldestDelivery === null ? 0 : Math.max(0, now - backlog.oldestDelivery) / SECOND_MS,
		outbox_backlog: backlog.outbox + ofTasks.outbox,
		d1_size_bytes: deps.db.use.sizeBytes,
	};
	return { state, isAtCeiling: ofTasks.isAtCeiling, wait: ofTasks.wait };
}
