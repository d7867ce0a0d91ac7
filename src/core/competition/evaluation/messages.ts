// A queue message says "this task has work". The object remembers in memory how many of its messages are in the queue. After a restart, the
// object sends new ones. This does no harm, because a message that finds no work changes nothing.
import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import { prepareOnce } from "../../../db/task/prepared.ts";
import { type JobRow, jobs } from "../../../db/task/schema/judging.ts";
import type { Failure } from "../../../domain/failures.ts";
import { toRealTime, toTaskTime } from "../../../domain/task-time.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import { LANES, type Lane } from "../../../ports/queues.ts";
import type { TaskDatabase, TaskJoints, TaskStore } from "../../../ports/task.ts";
import { findWakeTime, isKnown } from "../judgements/jobs.ts";
import { writeAttempt } from "./attempts.ts";
import { findRules, kindsIn } from "./job-kind.ts";

/** If no consumer arrives with a message for this long after it was sent, the message counts as lost. */
export const LOST_MESSAGE_MS = 30 * SECOND_MS;
/**
 * A message that seems lost may be waiting in a long queue, which more messages would make longer. So each time that messages seem lost,
 * the time after which a message counts as lost doubles, up to this number of times.
 */
const MOST_DOUBLINGS = 5;

interface Flight {
	/** When the undelivered messages of each lane were sent, in milliseconds since the epoch, oldest first. */
	readonly sentAt: Record<Lane, number[]>;
	/** The number of times in a row that messages have seemed lost. */
	losses: number;
	/** Jobs that have run out of time and are not in the metrics yet. */
	overdue: { readonly job: JobRow; readonly failure: Failure }[];
}

const flights = new WeakMap<TaskDatabase, Flight>();

/** Returns what the Task object remembers until it is evicted from memory. */
export function flightOf({ db }: TaskStore): Flight {
	const stored = flights.get(db);
	if (stored !== undefined) return stored;
	const flight: Flight = { sentAt: { waited_for: [], checks: [] }, losses: 0, overdue: [] };
	flights.set(db, flight);
	return flight;
}

const claimedQuery = prepareOnce((db) => db.select({ rows: count() }).from(jobs).where(eq(jobs.state, "claimed")).prepare());

export function countClaimed({ db }: TaskStore): number {
	return claimedQuery(db).get()?.rows ?? 0;
}

/** Records that a consumer delivered a message of this lane. If the lane is null, a message of any lane counts as delivered. */
export function arrive(task: TaskStore, lane: Lane | null): void {
	const { sentAt } = flightOf(task);
	const came = lane ?? LANES.find((name) => sentAt[name].length > 0);
	if (came !== undefined) sentAt[came].shift();
}

function countUnderWay({ sentAt }: Flight): number {
	return LANES.reduce((sum, lane) => sum + sentAt[lane].length, 0);
}

const readyQueries = {
	waited_for: prepareOnce((db, parts: TaskJoints) => selectReady(db, parts, "waited_for")),
	checks: prepareOnce((db, parts: TaskJoints) => selectReady(db, parts, "checks")),
} satisfies Record<Lane, unknown>;

function selectReady(db: TaskDatabase, parts: TaskJoints, lane: Lane) {
	return db
		.select({ wait: jobs.wait })
		.from(jobs)
		.where(and(eq(jobs.state, "ready"), inArray(jobs.kind, kindsIn(parts, lane)), isKnown(parts)))
		.orderBy(asc(jobs.kind), asc(jobs.turn), asc(jobs.id))
		.limit(sql.placeholder("most"))
		.prepare();
}

/**
 * Counts the messages that the jobs of a lane need. If all these jobs wait for a ceiling, one message is enough to check the ceiling again.
 */
function countWanted({ db, parts }: TaskStore, lane: Lane, most: number): number {
	const rows = readyQueries[lane](db, parts).all({ most });
	const free = rows.filter(({ wait }) => wait?.reason !== "ceiling").length;
	return free > 0 || rows.length === 0 ? free : 1;
}

/** Returns how many messages to send now. Each task has only a few in the queue at a time, so that all tasks get their turn. */
function countMissing(task: TaskStore, lane: Lane): number {
	const flight = flightOf(task);
	const room = task.config.parallelJobsPerTask - countUnderWay(flight);
	if (room <= 0) return 0;
	const wanted = countWanted(task, lane, task.config.parallelJobsPerTask) - flight.sentAt[lane].length;
	return wanted <= 0 ? 0 : Math.max(0, Math.min(room - countClaimed(task), wanted));
}

/** Sends the missing messages after jobs have changed. If that fails, the alarm sends them again. */
export function sendMessages(task: TaskStore, deps: Deps): void {
	const flight = flightOf(task);
	for (const lane of LANES) {
		for (let missing = countMissing(task, lane); missing > 0; missing -= 1) {
			flight.sentAt[lane].push(task.realNow);
			const message = { taskId: task.id, ...(task.requestId === null ? {} : { requestId: task.requestId }) };
			deps.background(lane === "checks" ? deps.queues.checks.send({ ...message, lane }) : deps.queues.tasks.send(message));
		}
	}
	if (countUnderWay(flight) === 0) flight.losses = 0;
	for (const { job, failure } of flight.overdue.splice(0)) {
		const subject = findRules(task.parts.jobs, job)?.subject ?? null;
		const { attempts, createdAt } = job;
		const queued = { attempts, createdAt: toRealTime(task, createdAt) };
		if (subject !== null) writeAttempt(deps, { job: queued, startedAt: task.realNow, outcome: "failed", failure, subject });
	}
}

/** Returns when the alarm must next check the jobs, in milliseconds since the epoch. Null for never. */
export function nextAlarm(task: TaskStore): number | null {
	const flight = flightOf(task);
	const wakeAt = findWakeTime(task);
	const times = wakeAt === null ? [] : [wakeAt];
	const isAnyReady = LANES.some((lane) => readyQueries[lane](task.db, task.parts).get({ most: 1 }) !== undefined);
	if (isAnyReady) {
		if (LANES.some((lane) => countMissing(task, lane) > 0)) times.push(task.now);
		for (const lane of LANES) {
			const [oldest] = flight.sentAt[lane];
			if (oldest !== undefined) times.push(toTaskTime(task, oldest + patienceOf(flight)));
		}
	}
	return times.length === 0 ? null : Math.min(...times);
}

function patienceOf({ losses }: Flight): number {
	return LOST_MESSAGE_MS * 2 ** Math.min(losses, MOST_DOUBLINGS);
}

/** Forgets the messages that seem lost, so that new ones are sent. */
export function forgetLost(task: TaskStore): void {
	const flight = flightOf(task);
	const underWayBefore = countUnderWay(flight);
	const lostBefore = task.realNow - patienceOf(flight);
	for (const lane of LANES) flight.sentAt[lane] = flight.sentAt[lane].filter((at) => at > lostBefore);
	if (countUnderWay(flight) < underWayBefore) flight.losses += 1;
}
