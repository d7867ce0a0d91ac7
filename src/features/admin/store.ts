import { desc, eq, lt, sql } from "drizzle-orm";
import { fleetOf, isAgentSuspended } from "../../db/parties.ts";
import { auditLog, reports, switches } from "../../db/schema/administration.ts";
import { agents } from "../../db/schema/agents.ts";
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
			.select({ id: agents.id, displayName: agents.displayName, suspendedAt: agents.suspendedAt, erasedAt: agents.erasedAt })
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
