import { and, eq, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { isPickable } from "../../db/conditions.ts";
import { finalCandidates as candidates } from "../../db/schema/rounds.ts";
import { hasRunningSubmission, submissions } from "../../db/schema/submissions.ts";
import { taskEntries, tasks } from "../../db/schema/tasks.ts";
import { chunksOf } from "../../domain/chunks.ts";
import { isAheadSql } from "../../domain/deadline.ts";
import type { RoundStatus } from "../../domain/evaluation-rounds.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { PickedSubmission } from "./store.ts";

/** Holds while the task accepts submissions. */
export function guardTaskOpen(deps: Deps, taskId: string): Statement {
	const isAhead = isAheadSql(sql`deadline`, deps.clock.now());
	return guard(deps.db, sql`exists (select 1 from tasks where id = ${taskId} and status = 'open' and ${isAhead})`);
}

/** Holds while no submission is being evaluated and, unless uploads are over, none is waiting for its artifact. */
export function guardQuiet(deps: Deps, taskId: string, { areUploadsOver }: { areUploadsOver: boolean }): Statement {
	const isRegistered = sql`exists (select 1 from submissions where task_id = ${taskId} and status = 'registered')`;
	return guard(deps.db, sql`not ${hasRunningSubmission(taskId)} and (${areUploadsOver ? 1 : 0} or not ${isRegistered})`);
}

/** Holds while none of these candidates has gone on: to a job, or to an outcome. */
export function guardCandidates(
	deps: Deps,
	taskId: string,
	{ submissionIds, lack }: { submissionIds: readonly string[]; lack: "job_id" | "outcome" },
): Statement {
	const ids = sql`select value from json_each(${JSON.stringify(submissionIds)})`;
	const column = sql.raw(lack);
	return guard(
		deps.db,
		sql`(select count(*) from final_candidates where task_id = ${taskId} and outcome is null and ${column} is null
			and submission_id in (${ids})) = ${submissionIds.length}`,
	);
}

/** Holds while every candidate has its outcome. */
export function guardAllEnded(deps: Deps, taskId: string): Statement {
	return guard(deps.db, sql`not exists (select 1 from final_candidates where task_id = ${taskId} and outcome is null)`);
}

/** Moves the round on. The new revision makes requests that read the task before decide again. */
export function setRoundStatus(deps: Deps, taskId: string, roundStatus: RoundStatus): Statement {
	return deps.db.query
		.update(tasks)
		.set({ roundStatus, revision: sql`${tasks.revision} + 1` })
		.where(eq(tasks.id, taskId));
}

export interface NewCandidate {
	readonly agentId: string;
	readonly submissionId: string;
	readonly judgedId: string;
}

const ROWS_PER_STATEMENT = 500;

export function insertCandidates(deps: Deps, taskId: string, rows: readonly NewCandidate[]): Statement[] {
	return chunksOf(rows, ROWS_PER_STATEMENT).map((page) =>
		deps.db.statement(sql`
			insert into final_candidates (task_id, agent_id, submission_id, judged_id)
			select ${taskId}, value->>'agentId', value->>'submissionId', value->>'judgedId' from json_each(${JSON.stringify(page)})`),
	);
}

/** Gives a job to a candidate and to all that share its judgement. */
export function assignJob(deps: Deps, taskId: string, { judgedId, jobId }: { judgedId: string; jobId: string }): Statement {
	return deps.db.query
		.update(candidates)
		.set({ jobId })
		.where(and(eq(candidates.taskId, taskId), eq(candidates.judgedId, judgedId), sql`outcome is null`));
}

/** Counts the evaluation of the final round. Its status stays, because the provisional score stays until the round has ended. */
export function updateIteration(deps: Deps, submissionId: string, iteration: number): Statement {
	return deps.db.query
		.update(submissions)
		.set({ iteration, revision: sql`${submissions.revision} + 1` })
		.where(eq(submissions.id, submissionId));
}

/** Has all that share a judgement judged on their own, because the submission that was judged for them has forfeited it. */
export function judgeAlone(deps: Deps, taskId: string, judgedId: string): Statement {
	return deps.db.query
		.update(candidates)
		.set({ judgedId: sql`${candidates.submissionId}`, jobId: null })
		.where(and(eq(candidates.taskId, taskId), eq(candidates.judgedId, judgedId), sql`outcome is null`));
}

/** @param evaluationId Null for a candidate whose judging failed. */
export function endCandidate(
	deps: Deps,
	taskId: string,
	{ agentId, evaluationId }: { agentId: string; evaluationId: string | null },
): Statement {
	return deps.db.query
		.update(candidates)
		.set({ outcome: evaluationId === null ? "failed" : "confirmed", evaluationId })
		.where(and(eq(candidates.taskId, taskId), eq(candidates.agentId, agentId)));
}

/** Makes the confirmed scores those of the candidates' submissions. */
export function confirmScores(deps: Deps, taskId: string): Statement {
	const now = deps.clock.now();
	return deps.db.statement(sql`
		update submissions set status = 'completed', evaluated = 1, final_score = e.final_score, test_score = e.test_score, llm_score = e.llm_score,
			container_score = e.container_score, spread = e.spread, comparison_group = e.comparison_group, evaluated_at = e.created_at,
			report_key = e.report_key, error_message = null, owner_error_message = null, failure = null, revision = revision + 1, updated_at = ${now}
		from final_candidates as c join evaluations as e on e.id = c.evaluation_id
		where c.task_id = ${taskId} and submissions.id = c.submission_id`);
}

/** Holds while the submission may be picked. A void in between changes no revision of the task. */
export function guardPickable(deps: Deps, pick: PickedSubmission): Statement {
	return guard(deps.db, sql`${pick.submissionId} is null or ${isPickable(pick)}`);
}

export function updatePick(deps: Deps, { taskId, agentId, submissionId }: PickedSubmission): Statement {
	return deps.db.query
		.update(taskEntries)
		.set({ pickedId: submissionId })
		.where(and(eq(taskEntries.taskId, taskId), eq(taskEntries.agentId, agentId)));
}
