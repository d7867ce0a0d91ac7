import { desc, eq, lt, lte, sql } from "drizzle-orm";
import { fleetOf, isAgentSuspended, type Standing } from "../../db/parties.ts";
import { auditLog, reports, standingChanges, switches } from "../../db/schema/administration.ts";
import { agents } from "../../db/schema/agents.ts";
import { taskCards } from "../../db/schema/cards.ts";
import { tasks } from "../../db/schema/tasks.ts";
import type { Deps } from "../../ports/deps.ts";

export type ReportRow = typeof reports.$inferSelect;

/** Streams of more tasks end by themselves after some minutes. */
const MAX_RUNNING = 300;

/** Whether an agent is suspended, how many tasks its suspension concerns, and which of them run, newest first. */
export async function findSuspension(deps: Deps, agentId: string) {
	const isOwn = sql`company_id in ${fleetOf(agentId)}`;
	const [[agent], [counted], running] = await deps.db.query.batch([
		deps.db.query
			.select({ id: agents.id, suspendedAt: agents.suspendedAt, erasedAt: agents.erasedAt })
			.from(agents)
			.where(eq(agents.id, agentId)),
		deps.db.query
			.select({ tasks: sql<number>`count(*)`.as("tasks") })
			.from(tasks)
			.where(sql`taken_down_at is null and ${isOwn}`),
		deps.db.query
			.select({ id: tasks.id })
			.from(tasks)
			.where(sql`status in ('open','evaluating') and ${isOwn}`)
			.orderBy(desc(tasks.id))
			.limit(MAX_RUNNING),
	]);
	return agent === undefined ? null : { ...agent, tasks: counted?.tasks ?? 0, runningTaskIds: running.map(({ id }) => id) };
}

export async function findTakeDown(deps: Deps, taskId: string) {
	const [task] = await deps.db.query
		.select({
			id: tasks.id,
			revision: tasks.revision,
			hidden: tasks.hidden,
			takenDownAt: tasks.takenDownAt,
			isOwnerSuspended: isAgentSuspended(sql`${tasks.companyId}`).as("is_owner_suspended"),
		})
		.from(tasks)
		.where(eq(tasks.id, taskId));
	return task === undefined ? null : { ...task, isOwnerSuspended: task.isOwnerSuspended === 1 };
}

/** Whether the owner of a task is suspended, by the directory. False for a task without a card. */
export async function isOwnerSuspended(deps: Deps, taskId: string): Promise<boolean> {
	const [row] = await deps.db.query
		.select({ isSuspended: isAgentSuspended(sql`${taskCards.companyId}`).as("is_suspended") })
		.from(taskCards)
		.where(eq(taskCards.id, taskId));
	return row?.isSuspended === 1;
}

/** The agents of a task whose data was erased: its poster, and those that have submitted. */
export async function selectErasedAgents(deps: Deps, taskId: string): Promise<string[]> {
	const poster = sql`(select company_id from task_cards where id = ${taskId})`;
	const rows = await deps.db.query.all<{ id: string }>(sql`
		select a.id from agents a where a.erased_at is not null and (a.id = ${poster} or a.id in (
			select agent_id from submission_cards indexed by submission_cards_company where company_id = ${poster} and task_id = ${taskId}))`);
	return rows.map(({ id }) => id);
}

/** What operators have decided about an agent. */
export async function findStanding(deps: Deps, agentId: string): Promise<Standing | null> {
	const [agent] = await deps.db.query
		.select({ id: agents.id, suspendedAt: agents.suspendedAt, erasedAt: agents.erasedAt })
		.from(agents)
		.where(eq(agents.id, agentId));
	return agent ?? null;
}

/** Tasks of an agent and of its fleet that are shown although their owner is suspended, or hidden although it is not. */
export async function selectMisaligned(deps: Deps, agentId: string, limit: number) {
	const isSuspendedNow = isAgentSuspended(sql`c.company_id`);
	const rows = await deps.db.query.all<{ id: string; hidden: number }>(sql`
		select c.id, c.hidden from task_cards c
		where c.company_id in ${fleetOf(agentId)} and c.taken_down = 0 and c.hidden <> ${isSuspendedNow} limit ${limit}`);
	return rows.map(({ id, hidden }) => ({ id, isOwnerSuspended: hidden === 0 }));
}

/** Suspensions and restorations up to a time whose tasks were not looked at again since. */
export async function selectStandingChanges(deps: Deps, latest: number, limit: number) {
	return deps.db.query
		.select({ id: standingChanges.id, agentId: standingChanges.agentId })
		.from(standingChanges)
		.where(lte(standingChanges.at, latest))
		.limit(limit);
}

export async function selectSwitches(deps: Deps) {
	return deps.db.query.select().from(switches);
}

interface Page {
	/** Rows with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

export async function selectAuditEntries(deps: Deps, { before, limit }: Page) {
	return deps.db.query
		.select()
		.from(auditLog)
		.where(before === null ? undefined : lt(auditLog.id, before))
		.orderBy(desc(auditLog.id))
		.limit(limit);
}

/** The task that a report is about, or whose submission it is about. */
export async function findReportedTask(deps: Deps, { taskId, submissionId }: { taskId: string | null; submissionId: string | null }) {
	const id = taskId === null ? sql`(select task_id from submissions where id = ${submissionId})` : sql`${taskId}`;
	const [task] = await deps.db.query
		.select({ id: tasks.id, companyId: tasks.companyId, status: tasks.status, hidden: tasks.hidden })
		.from(tasks)
		.where(eq(tasks.id, id));
	return task ?? null;
}

export async function selectReports(deps: Deps, { before, limit }: Page): Promise<ReportRow[]> {
	return deps.db.query
		.select()
		.from(reports)
		.where(before === null ? undefined : lt(reports.id, before))
		.orderBy(desc(reports.id))
		.limit(limit);
}
