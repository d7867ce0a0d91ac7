import { type AnyColumn, and, asc, desc, eq, getTableColumns, gt, isNotNull, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import { findAgentNames } from "../../../db/agent-reads.ts";
import { fleetOf, isAgentSuspended, type Standing } from "../../../db/parties.ts";
import { abuseReports, auditLog, standingChanges, switches } from "../../../db/schema/administration.ts";
import { agents } from "../../../db/schema/agents.ts";
import { submissionCards, taskCards } from "../../../db/schema/cards.ts";
import { bytesOf, textOf } from "../../../db/schema/id-bytes.ts";
import { webhooks } from "../../../db/schema/webhooks.ts";
import type { PageBefore } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import { RESOLVE, type ReportState } from "./report-states.ts";

const MAX_AUDIT_OF_TARGET = 200;

export type ReportRow = typeof abuseReports.$inferSelect;

/** Returns true if the directory says that the owner of a task is suspended. A task without a card has no suspended owner. */
export async function isOwnerSuspended(deps: Deps, taskId: string): Promise<boolean> {
	const [row] = await deps.db.query
		.select({ isSuspended: isAgentSuspended(sql`${taskCards.companyId}`).as("is_suspended") })
		.from(taskCards)
		.where(eq(taskCards.id, taskId));
	return row?.isSuspended === true;
}

/** Finds a task's agents whose data was erased: its poster, and agents that have submitted. */
export async function selectErasedAgents(deps: Deps, taskId: string): Promise<string[]> {
	const poster = sql`(select company_id from task_cards where id = ${taskId})`;
	const rows = await deps.db.query.all<{ id: string }>(sql`
		select a.id from agents a where a.erased_at is not null and (a.id = ${poster} or a.id in (
			select ${textOf("agent_id")} from submission_cards indexed by submission_cards_company
			where company_id = ${bytesOf(poster)} and task_id = ${bytesOf(taskId)}))`);
	return rows.map(({ id }) => id);
}

/**
 * Reads what operators have done to a task since a moment, oldest first: take-downs, their ends, and voids of submissions that the task
 * still has.
 */
export async function selectActsSince(deps: Deps, taskId: string, since: number) {
	return deps.db.query.all<{ action: string; target: string; reason: string }>(sql`
		select action, target, reason from audit_log where at > ${since} and (
			(action in ('task.take_down', 'task.restore') and target = ${taskId})
			or (action = 'submission.void' and target in (select ${textOf("id")} from submission_cards where task_id = ${bytesOf(taskId)})))
		order by at, id`);
}

/** Reads what operators have decided about an agent. */
export async function findStanding(deps: Deps, agentId: string): Promise<Standing | null> {
	const [agent] = await deps.db.query
		.select({ id: agents.id, suspendedAt: agents.suspendedAt, erasedAt: agents.erasedAt })
		.from(agents)
		.where(eq(agents.id, agentId));
	return agent ?? null;
}

/** Finds tasks of an agent and of its fleet that are shown although their owner is suspended, or hidden although their owner is not. */
export async function selectMisaligned(deps: Deps, agentId: string, limit: number) {
	const isSuspendedNow = isAgentSuspended(sql`c.company_id`);
	const rows = await deps.db.query.all<{ id: string; hidden: number }>(sql`
		select c.id, c.hidden from task_cards c
		where c.company_id in ${fleetOf(agentId)} and c.taken_down = 0 and c.hidden <> ${isSuspendedNow} limit ${limit}`);
	return rows.map(({ id, hidden }) => ({ id, isOwnerSuspended: hidden === 0 }));
}

/** Finds suspensions, restorations and erasures of agents, up to a time, whose tasks have not been checked again since. */
export async function selectStandingChanges(deps: Deps, latest: number, limit: number) {
	return deps.db.query
		.select({ id: standingChanges.id, agentId: standingChanges.agentId, erasedUpTo: standingChanges.erasedUpTo })
		.from(standingChanges)
		.where(lte(standingChanges.at, latest))
		.orderBy(standingChanges.at)
		.limit(limit);
}

export async function selectSwitches(deps: Deps) {
	return deps.db.query.select().from(switches);
}

export async function selectAuditEntries(deps: Deps, { before, limit }: PageBefore) {
	return deps.db.query
		.select()
		.from(auditLog)
		.where(before === null ? undefined : lt(auditLog.id, before))
		.orderBy(desc(auditLog.id))
		.limit(limit);
}

/** Reads the operators' actions on one subject, oldest first. There are only a few. */
export async function selectAuditOf(deps: Deps, target: string) {
	return deps.db.query.select().from(auditLog).where(eq(auditLog.target, target)).orderBy(asc(auditLog.id)).limit(MAX_AUDIT_OF_TARGET);
}

/** Selects open or resolved reports. Each of the two conditions has its own index. */
const inState = (state: ReportState): SQL => (state === "open" ? isNull : isNotNull)(abuseReports.resolvedAt);

/**
 * Reads reports with the card of the task that they are about, and the names of the agents.
 * A report about a submission is also about its task.
 */
export async function selectReports(deps: Deps, state: ReportState, { before, limit }: PageBefore) {
	const rows = await deps.db.query
		.select({
			...getTableColumns(abuseReports),
			agentId: sql<string | null>`case when ${submissionCards.id} is not null then ${textOf(submissionCards.agentId)} end`.as("agent_id"),
			resolution: sql<string | null>`(select l.reason from audit_log l where l.target = ${abuseReports.id} and l.action = ${RESOLVE})`.as(
				"resolution",
			),
			cardId: sql<string | null>`${taskCards.id}`.as("card_id"),
			title: taskCards.title,
			status: taskCards.status,
			takenDown: taskCards.takenDown,
		})
		.from(abuseReports)
		.leftJoin(submissionCards, eq(submissionCards.id, bytesOf(abuseReports.submissionId)))
		.leftJoin(taskCards, eq(taskCards.id, sql`coalesce(${abuseReports.taskId}, ${textOf(submissionCards.taskId)})`))
		.where(and(inState(state), before === null ? undefined : lt(abuseReports.id, before)))
		.orderBy(desc(abuseReports.id))
		.limit(limit);
	const names = await findAgentNames(
		deps.db,
		rows.flatMap(({ reporterId, agentId }) => (agentId === null ? [reporterId] : [reporterId, agentId])),
	);
	return rows.map((row) => ({
		...row,
		reporterName: names.get(row.reporterId) ?? "",
		submittedBy: row.agentId === null ? null : { id: row.agentId, name: names.get(row.agentId) ?? "" },
	}));
}

export async function findReport(deps: Deps, id: string): Promise<ReportRow | null> {
	const [report] = await deps.db.query.select().from(abuseReports).where(eq(abuseReports.id, id));
	return report ?? null;
}

export async function countOpenReports(deps: Deps): Promise<number> {
	const [row] = await deps.db.query
		.select({ open: sql<number>`count(*)`.as("open") })
		.from(abuseReports)
		.where(inState("open"));
	return row?.open ?? 0;
}

/**
 * True for a string that contains `part`, ignoring the case of the letters A to Z.
 * Not `like`, because D1 rejects `like` patterns over 50 bytes.
 */
const has = (column: AnyColumn, part: string): SQL => sql`instr(lower(${column}), lower(${part})) > 0`;

/** Finds agents by a part of their name, newest first. Reads every name. */
export async function findAgentsByName(deps: Deps, part: string, limit: number) {
	const { id, displayName, suspendedAt, createdAt } = agents;
	return deps.db.query
		.select({ id, displayName, suspendedAt, createdAt })
		.from(agents)
		.where(has(displayName, part))
		.orderBy(desc(id))
		.limit(limit);
}

/** Finds tasks in every state by a part of their title, newest first. Reads every title. */
export async function findTasksByTitle(deps: Deps, part: string, limit: number) {
	const { id, title, status, takenDown, companyId, createdAt } = taskCards;
	return deps.db.query
		.select({ id, title, status, takenDown, companyId, createdAt, ownerName: agents.displayName })
		.from(taskCards)
		.leftJoin(agents, eq(agents.id, companyId))
		.where(has(title, part))
		.orderBy(desc(id))
		.limit(limit);
}

/** Lists the ids of tasks, agents or webhooks after an id. */
export async function selectIdsAfter(
	deps: Deps,
	kind: "task" | "agent" | "webhook",
	{ id, limit }: { readonly id: string; readonly limit: number },
): Promise<string[]> {
	const column = { task: taskCards.id, agent: agents.id, webhook: webhooks.id }[kind];
	const rows = await deps.db.query.select({ id: column }).from(column.table).where(gt(column, id)).orderBy(asc(column)).limit(limit);
	return rows.map((row) => row.id);
}
