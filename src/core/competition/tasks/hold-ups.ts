// Finds out what is holding up the judging of a task.
import { and, eq, isNotNull, lte, sql } from "drizzle-orm";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { type JobWait, jobs } from "../../../db/task/schema/judging.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { MODES } from "../../../domain/modes.ts";
import { pauseMessage, type Switch } from "../../../domain/switches.ts";
import type { ShownWait } from "../../../domain/waits.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskStore } from "../../../ports/task.ts";

/**
 * Returns the reason why judging is off, for agents and owners, or null while it is on. If the cached switch is off, reads it again,
 * because a task that pauses by mistake sleeps until the next sweep.
 */
export async function findPause(deps: Deps): Promise<string | null> {
	if ((await deps.switchboard.read(deps)).judging.on) return null;
	return pauseMessage((await deps.switchboard.read(deps, true)).judging);
}

/** The maximum number of waiting jobs to read per state. */
const WAITS_LOOKED_AT = 20;

const ANY_TURN = Number.MAX_SAFE_INTEGER;
/** The turn of jobs that a consumer has begun. */
const BEGUN = 0;

/**
 * The states in which a job can have a wait. A job keeps its wait while an attempt runs. The limit on the turn excludes jobs that only
 * queue for their turn.
 */
const SEARCHED = [
	{ state: "waiting", turn: ANY_TURN },
	{ state: "paused", turn: ANY_TURN },
	{ state: "claimed", turn: BEGUN },
	{ state: "ready", turn: BEGUN },
] as const;

/** Selects what the task's evaluations are waiting for. Evaluations by an external judge do not wait for the platform. */
export function selectWaits({ db }: TaskStore, { evalMode }: Pick<TaskRow, "evalMode">): JobWait[] {
	if (MODES[evalMode].isExternal) return [];
	const rows = SEARCHED.flatMap((among) => waitsQuery(db).all(among));
	return rows.flatMap(({ wait }) => (wait === null ? [] : [wait]));
}

const waitsQuery = prepareOnce((db) =>
	db
		.select({ wait: jobs.wait })
		.from(jobs)
		.where(
			and(
				eq(jobs.state, sql.placeholder("state")),
				eq(jobs.kind, "evaluation"),
				lte(jobs.turn, sql.placeholder("turn")),
				isNotNull(jobs.wait),
			),
		)
		.limit(WAITS_LOOKED_AT)
		.prepare(),
);

/**
 * Chooses what is holding up the judging of a task: a pause of all judging, or else the longest wait of its evaluations. A payer's own
 * ceiling does not count, because it only holds up the evaluations of that payer.
 */
export function describeHoldUp(judging: Switch, waits: readonly JobWait[]): ShownWait | null {
	const message = pauseMessage(judging);
	if (message !== null && judging.since !== null) return { reason: "paused", message, since: judging.since, until: null };
	const [first] = waits
		.filter(({ ceilings = [] }) => ceilings.length === 0 || ceilings.some((scope) => scope !== "payer_day"))
		.toSorted((a, b) => a.since - b.since);
	return first === undefined ? null : { reason: first.reason, message: first.message, since: first.since, until: null };
}
