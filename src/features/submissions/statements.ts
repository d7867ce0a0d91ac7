import { and, eq, lt, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { partyOf } from "../../db/parties.ts";
import { idempotencyKeys, submissions } from "../../db/schema/submissions.ts";
import { taskEntries, tasks } from "../../db/schema/tasks.ts";
import { isAheadSql } from "../../domain/deadline.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { NewSubmission, SubmissionState } from "./store.ts";

/** Holds while the task is as it was read and accepts submissions. */
export function guardOpen(deps: Deps, task: { id: string; revision: number }, now: number): Statement {
	const isOpen = sql`status = 'open' and ${isAheadSql(sql`deadline`, now)}`;
	return guard(deps.db, sql`exists (select 1 from tasks where id = ${task.id} and revision = ${task.revision} and ${isOpen})`);
}

/** Holds while submission and task are as they were read. */
export function guardState(deps: Deps, { submission, task }: SubmissionState): Statement {
	return guard(
		deps.db,
		sql`exists (select 1 from submissions s join tasks t on t.id = s.task_id where s.id = ${submission.id}
			and s.revision = ${submission.revision} and t.revision = ${task.revision})`,
	);
}

/** Adds a submission to the task's counters, and a competitor if it is the agent's first one. Put it before {@link takeSlot}. */
export function incrementCounters(deps: Deps, taskId: string, agentId: string): Statement {
	const isFirst = sql`not exists (select 1 from task_entries where task_id = ${taskId} and agent_id = ${agentId})`;
	return deps.db.query
		.update(tasks)
		.set({ submissionCount: sql`${tasks.submissionCount} + 1`, competitorCount: sql`${tasks.competitorCount} + (${isFirst})` })
		.where(eq(tasks.id, taskId));
}

/** Takes a slot and returns how many are used now. Without one left, the constraint `quota_within_limit` undoes the whole batch. */
export function takeSlot(deps: Deps, entry: { taskId: string; agentId: string; quotaLimit: number; now: number }): Statement {
	const { taskId, agentId, quotaLimit, now } = entry;
	const poster = sql`(select company_id from tasks where id = ${taskId})`;
	return deps.db.query
		.insert(taskEntries)
		.values({ taskId, agentId, quotaUsed: 1, quotaLimit, isOwn: sql`${partyOf(poster)} is ${partyOf(sql`${agentId}`)}`, createdAt: now })
		.onConflictDoUpdate({ target: [taskEntries.taskId, taskEntries.agentId], set: { quotaUsed: sql`${taskEntries.quotaUsed} + 1` } })
		.returning({ quotaUsed: taskEntries.quotaUsed });
}

export function insertSubmission(deps: Deps, row: NewSubmission): Statement {
	return deps.db.query.insert(submissions).values(row);
}

/** What the agent or the task's owner changes about a submission. Its scores come from `updateOutcome` of the evaluation. */
type SubmissionChange = Partial<
	Pick<
		NewSubmission,
		| "status"
		| "evaluated"
		| "artifactKey"
		| "artifactBytes"
		| "artifactSha256"
		| "missingSections"
		| "errorMessage"
		| "ownerErrorMessage"
		| "failure"
		| "iteration"
		| "reEvaluatedAt"
		| "handedInAt"
	>
>;

/** Writes an upload, a completion or a request for re-evaluation. Put {@link guardState} before it. */
export function updateSubmission(deps: Deps, submissionId: string, change: SubmissionChange): Statement {
	return deps.db.query
		.update(submissions)
		.set({ ...change, revision: sql`${submissions.revision} + 1`, updatedAt: deps.clock.now() })
		.where(eq(submissions.id, submissionId));
}

interface Voiding {
	readonly reason: string;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** Takes a submission out of the competition. Marks its slot as returned, so that a later failure does not return it again. */
export function voidSubmission(deps: Deps, submission: SubmissionState["submission"], { reason, now }: Voiding): Statement[] {
	const { id, taskId, agentId } = submission;
	const isEntry = and(eq(taskEntries.taskId, taskId), eq(taskEntries.agentId, agentId));
	return [
		deps.db.query
			.update(submissions)
			.set({ voidedAt: now, voidReason: reason, slotReturned: true, revision: sql`${submissions.revision} + 1`, updatedAt: now })
			.where(eq(submissions.id, id)),
		deps.db.query
			.update(taskEntries)
			.set({ pickedId: null })
			.where(and(isEntry, eq(taskEntries.pickedId, id))),
	];
}

interface RememberedResponse extends Omit<typeof idempotencyKeys.$inferInsert, "response"> {
	/** JSON. Its quota is replaced by what {@link takeSlot} makes it, which comes later in the batch. */
	readonly response: string;
	readonly quotaLimit: number;
}

/** Remembers the response to an `Idempotency-Key`. An unexpired one under the same key makes the batch stale. */
export function rememberResponse(deps: Deps, { quotaLimit, ...row }: RememberedResponse, now: number): Statement[] {
	const used = sql`1 + coalesce((select quota_used from task_entries where task_id = ${row.taskId} and agent_id = ${row.agentId}), 0)`;
	const response = sql`json_set(${row.response}, '$.quota.used', ${used}, '$.quota.remaining', ${quotaLimit} - (${used}))`;
	const expired = and(
		eq(idempotencyKeys.agentId, row.agentId),
		eq(idempotencyKeys.taskId, row.taskId),
		eq(idempotencyKeys.key, row.key),
		lt(idempotencyKeys.expiresAt, now + 1),
	);
	return [deps.db.query.delete(idempotencyKeys).where(expired), deps.db.query.insert(idempotencyKeys).values({ ...row, response })];
}
