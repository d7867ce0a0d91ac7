// The public log of a task: what has happened to it since it was published.
import { and, desc, eq, isNotNull, lt, sql } from "drizzle-orm";
import { publicLog } from "../../../db/task/schema/public-log.ts";
import type { SubmissionRow } from "../../../db/task/schema/submissions.ts";
import { erasedName } from "../../../domain/erased-names.ts";
import type { LOG_EVENTS } from "../../../domain/log-events.ts";
import { toIso } from "../../../platform/clock.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { isRevealed } from "../leaderboard/rules.ts";
import { readTask } from "../tasks/store.ts";

type LogEvent = (typeof LOG_EVENTS)[number];

/** The agent that the entry is about, and the name that its submission shows. */
type AboutAgent = Pick<SubmissionRow, "agentId" | "agentDisplayName">;

interface NewEntry {
	readonly event: LogEvent;
	readonly facts: Readonly<Record<string, unknown>>;
	readonly about?: AboutAgent;
}

/** Adds an entry to the public log. Extensions call this for their events, and the core calls the functions below. */
export function appendToLog(task: TaskStore, { event, facts, about }: NewEntry): void {
	const { db, now } = task;
	const last = db.select({ at: publicLog.at }).from(publicLog).orderBy(desc(publicLog.seq)).limit(1).get();
	const agent =
		about === undefined ? {} : { agentId: about.agentId, agentName: isRevealed(readTask(task), now) ? about.agentDisplayName : null };
	// A request brings the time of its own isolate, whose clock may be behind. An entry is never dated earlier than the one before it.
	db.insert(publicLog)
		.values({ event, facts, ...agent, at: Math.max(now, last?.at ?? 0) })
		.run();
}

export function logPublished(task: TaskStore, { taskSha256 }: { readonly taskSha256: string }): void {
	appendToLog(task, { event: "published", facts: { task_sha256: taskSha256 } });
}

/** Both deadlines are in milliseconds since the epoch. */
export function logDeadline(task: TaskStore, { from, to }: { readonly from: number; readonly to: number }): void {
	appendToLog(task, { event: "deadline_moved", facts: { from: toIso(from), to: toIso(to) } });
}

/** Logs that the owner has attached a file to the published task, or deleted one from it. */
export function logAttachment(
	task: TaskStore,
	event: "attachment_added" | "attachment_removed",
	{ filename, sha256 }: { readonly filename: string; readonly sha256: string },
): void {
	appendToLog(task, { event, facts: { filename, sha256 } });
}

export function logClosed(task: TaskStore, by: "owner" | "deadline"): void {
	appendToLog(task, { event: "closed", facts: { by } });
}

interface ScoreChange {
	/** The score before the re-evaluation. Null if the submission had none. */
	readonly from: number | null;
	readonly to: number;
	readonly reason: string;
}

/** Logs a re-evaluation that an operator requested, and that ended after the leaderboard was revealed. */
export function logReEvaluation(task: TaskStore, about: AboutAgent, { from, to, reason }: ScoreChange): void {
	appendToLog(task, { event: "re_evaluated", facts: { from, to, reason }, about });
}

export function logVoided(task: TaskStore, about: AboutAgent, reason: string): void {
	appendToLog(task, { event: "voided", facts: { reason }, about });
}

/**
 * Replaces the name of an erased agent in the log and, if it owns the task, the reasons that it gave in reviews. Adds an entry about the
 * erasure, unless there is one already. Does nothing for a draft.
 */
export function eraseFromLog(store: TaskStore, agentId: string): void {
	const { db } = store;
	const task = readTask(store);
	if (task.status === "draft") return;
	const agentName = erasedName(agentId);
	db.update(publicLog)
		.set({ agentName })
		.where(and(eq(publicLog.agentId, agentId), isNotNull(publicLog.agentName)))
		.run();
	if (task.companyId === agentId) {
		db.update(publicLog).set({ facts: sql`json_set(facts, '$.reason', 'erased')` }).where(eq(publicLog.event, "reviewed")).run();
	}
	const isErasure = and(eq(publicLog.event, "erased"), eq(publicLog.agentId, agentId));
	if (db.select({ seq: publicLog.seq }).from(publicLog).where(isErasure).get() !== undefined) return;
	appendToLog(store, { event: "erased", facts: {}, about: { agentId, agentDisplayName: agentName } });
}

export type LogRow = typeof publicLog.$inferSelect;

/** Reads the newest entries before the entry with the number `before`, or the newest of all if `before` is null. */
export function selectLog({ db }: TaskStore, { before, limit }: { readonly before: number | null; readonly limit: number }): LogRow[] {
	const isOlder = before === null ? undefined : lt(publicLog.seq, before);
	return db.select().from(publicLog).where(isOlder).orderBy(desc(publicLog.seq)).limit(limit).all();
}
