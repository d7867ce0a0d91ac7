// Messages of the queue say "this task has work". The object remembers how many are under way until it restarts. Then it sends others,
// and messages that find nothing to do change nothing.
import { asc, eq } from "drizzle-orm";
import { jobs } from "../../../db/task/schema/judging.ts";
import type { Failure } from "../../../domain/failures.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TaskDatabase, TaskStore } from "../../../ports/task.ts";
import { findWakeTime, type JobRow } from "../judgements/jobs.ts";
import { writeAttempt } from "./attempts.ts";

/** If no consumer has come with a message for this long, it is lost. */
export const LOST_MESSAGE_MS = 30 * SECOND_MS;
/** While judging is switched off, one message asks again after this time. */
export const PAUSE_MS = 30 * SECOND_MS;

interface Flight {
	/** The times of the messages that no consumer has come with, the oldest first. */
	sentAt: number[];
	pausedUntil: number;
	/** Jobs that have ended without a consumer, for the metrics. */
	overdue: { readonly job: JobRow; readonly failure: Failure }[];
}

const flights = new WeakMap<TaskDatabase, Flight>();

/** Returns what the object remembers while it is awake. */
export function flightOf({ db }: TaskStore): Flight {
	const known = flights.get(db);
	if (known !== undefined) return known;
	const flight = { sentAt: [], pausedUntil: 0, overdue: [] };
	flights.set(db, flight);
	return flight;
}

export function countLeased({ db }: TaskStore): number {
	return db.select({ id: jobs.id }).from(jobs).where(eq(jobs.state, "leased")).all().length;
}

/** Counts the jobs that need a message. If all of them wait because judging has stopped, one message asks if it goes on. */
function countWanted(task: TaskStore, most: number): number {
	const rows = task.db
		.select({ waitingFor: jobs.waitingFor })
		.from(jobs)
		.where(eq(jobs.state, "ready"))
		.orderBy(asc(jobs.kind), asc(jobs.turn), asc(jobs.id))
		.limit(most)
		.all();
	const free = rows.filter(({ waitingFor }) => waitingFor === null).length;
	return free > 0 || rows.length === 0 || flightOf(task).pausedUntil > task.now ? free : 1;
}

/** Returns how many messages to send now. Each task has only a few under way, so that tasks share the queue. */
function countMissing(task: TaskStore): number {
	const { length: sent } = flightOf(task).sentAt;
	const room = task.config.parallelJobsPerTask - sent;
	if (room <= 0) return 0;
	const wanted = countWanted(task, task.config.parallelJobsPerTask) - sent;
	return wanted <= 0 ? 0 : Math.max(0, Math.min(room - countLeased(task), wanted));
}

/** Sends the missing messages after a change of the jobs. One that cannot be sent is lost, and the alarm sends another. */
export function sendMessages(task: TaskStore, deps: Deps): void {
	const flight = flightOf(task);
	for (let missing = countMissing(task); missing > 0; missing -= 1) {
		flight.sentAt.push(task.now);
		deps.background(deps.queues.tasks.send({ taskId: task.id }));
	}
	for (const { job, failure } of flight.overdue.splice(0)) {
		writeAttempt(deps, { job, startedAt: task.now, outcome: "failed", failure, isTrial: job.kind !== "evaluation" });
	}
}

/** Returns when the jobs need the alarm, in milliseconds since the epoch; null for never. */
export function nextAlarm(task: TaskStore): number | null {
	const { sentAt, pausedUntil } = flightOf(task);
	const wakeAt = findWakeTime(task);
	const times = wakeAt === null ? [] : [wakeAt];
	const hasReady = task.db.select({ id: jobs.id }).from(jobs).where(eq(jobs.state, "ready")).limit(1).get() !== undefined;
	if (hasReady) {
		if (countMissing(task) > 0) times.push(task.now);
		if (pausedUntil > task.now) times.push(pausedUntil);
		const [oldest] = sentAt;
		if (oldest !== undefined) times.push(oldest + LOST_MESSAGE_MS);
	}
	return times.length === 0 ? null : Math.min(...times);
}

/** Forgets the messages that are lost. */
export function forgetLost(task: TaskStore): void {
	const flight = flightOf(task);
	flight.sentAt = flight.sentAt.filter((at) => at + LOST_MESSAGE_MS > task.now);
}
