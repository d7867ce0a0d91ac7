// Reads events from the outboxes and adds entries to inboxes. Safe to repeat, because an inbox has only one entry for each event and kind.
import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import { canSeeTask } from "../../core/competition/tasks/rules.ts";
import { findTask, readParticipation } from "../../core/competition/tasks/store.ts";
import { taskCards } from "../../db/schema/cards.ts";
import { entries, members, type TaskRow } from "../../db/task/schema/task.ts";
import { callInChunks } from "../../domain/chunks.ts";
import { timeOfId } from "../../platform/ids.ts";
import type { Deps, RecordedEvent } from "../../ports/deps.ts";
import type { Notice } from "../../ports/inbox.ts";
import type { TaskStore } from "../../ports/task.ts";
import { noticeOfDeal, noticesOf, type OutgoingNotice } from "./notices.ts";

const AGENTS_PER_PAGE = 200;
const CALLS_AT_ONCE = 50;

/**
 * Notifies agents of an event of a Task object.
 *
 * @returns The last agent that was notified, after which the next call continues. Null if all agents have been notified.
 */
export async function notifyFromTask(store: TaskStore, deps: Deps, recorded: RecordedEvent): Promise<string | null> {
	const task = findTask(store);
	if (task === null) return null;
	const { fanOutAfter } = recorded;
	const notices = noticesOf(recorded.event, task);
	const single = notices.flatMap(({ to, notice }) =>
		"agentId" in to && mayRead(store, task, to.agentId) ? [[to.agentId, notice] as const] : [],
	);
	if (fanOutAfter === null) await sendNotices(deps, recorded, single);
	const group = notices.find(({ to }) => "group" in to);
	return group === undefined ? null : sendToGroup(store, deps, { task, recorded, group });
}

/** Only the owner and agents that have submitted may read a hidden task. Agents must have joined an invite-only task to read it. */
function mayRead(store: TaskStore, task: TaskRow, agentId: string): boolean {
	return canSeeTask(task, agentId, readParticipation(store, agentId));
}

async function sendToGroup(
	store: TaskStore,
	deps: Deps,
	{ task, recorded, group }: { readonly task: TaskRow; readonly recorded: RecordedEvent; readonly group: OutgoingNotice },
): Promise<string | null> {
	const after = recorded.fanOutAfter ?? "";
	const competitors = selectCompetitors(store, task, { happenedAt: recorded.taskTime, after });
	const notices = competitors.filter((agentId) => agentId !== task.companyId).map((agentId) => [agentId, group.notice] as const);
	await sendNotices(deps, recorded, notices);
	return competitors.length < AGENTS_PER_PAGE ? null : (competitors.at(-1) ?? null);
}

/** Selects a page of the agents that had submitted, or had joined an invite-only task, when an event happened. */
function selectCompetitors(
	{ db }: TaskStore,
	task: TaskRow,
	{ happenedAt, after }: { readonly happenedAt: number; readonly after: string },
): string[] {
	// A member of a hidden task may read it only after submitting. It then has a row in `entries`, so members are not selected here.
	const mayHear = task.hidden ? sql`false` : sql`true`;
	const rows = db
		.select({ agentId: entries.agentId })
		.from(entries)
		.where(and(gt(entries.agentId, after), lte(entries.createdAt, happenedAt)))
		.union(
			db
				.select({ agentId: members.agentId })
				.from(members)
				.where(and(mayHear, gt(members.agentId, after), lte(members.joinedAt, happenedAt))),
		)
		.orderBy(asc(entries.agentId))
		.limit(AGENTS_PER_PAGE)
		.all();
	return rows.map(({ agentId }) => agentId);
}

/** Notifies the other party of a deal about a step. */
export async function notifyOfDeal(deps: Deps, recorded: RecordedEvent): Promise<null> {
	const { event, fanOutAfter } = recorded;
	if (fanOutAfter !== null || (event.type !== "deal.created" && event.type !== "deal.updated")) return null;
	const { id, companyId, title } = taskCards;
	const [task] = await deps.db.query.select({ id, companyId, title }).from(taskCards).where(eq(id, event.taskId));
	const outgoing = task === undefined ? null : noticeOfDeal(event, task);
	if (outgoing !== null && "agentId" in outgoing.to) await sendNotices(deps, recorded, [[outgoing.to.agentId, outgoing.notice]]);
	return null;
}

/** @throws Error if an inbox could not be reached. The other inboxes have received their entries. */
async function sendNotices(
	deps: Deps,
	{ id: eventId, createdAt }: RecordedEvent,
	notices: readonly (readonly [string, Notice])[],
): Promise<void> {
	await callInChunks(notices, CALLS_AT_ONCE, ([agentId, notice]) =>
		deps.hubs.callWorkspace(agentId, (workspace) =>
			workspace.notify({ ...notice, eventId, happenedAt: createdAt, registeredAt: timeOfId(agentId) }),
		),
	);
}
