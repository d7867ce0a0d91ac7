import { and, eq, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { selectValues } from "../../db/insert-select.ts";
import { finalCandidates } from "../../db/schema/rounds.ts";
import { evaluations, evaluationJobs as jobs, submissions } from "../../db/schema/submissions.ts";
import { taskEntries } from "../../db/schema/tasks.ts";
import { judgeUsage } from "../../db/schema/usage.ts";
import { TURN_COLUMNS, takeTurn } from "../../db/turns.ts";
import { type JudgeIdentity, judgeFingerprint } from "../../domain/comparison.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { SubmissionForEvaluation } from "./store.ts";

interface NewJob {
	readonly id: string;
	readonly submissionId: string;
	readonly iteration: number;
	readonly round: (typeof jobs.$inferInsert)["round"];
	readonly origin: string;
	readonly dueAt: number;
	readonly giveUpAt: number;
	readonly createdAt: number;
	/** The rubric that may extend the time limit; null where its length does not count. */
	readonly longRubric: { readonly taskId: string; readonly fromCriteria: number; readonly perCriterionMs: number } | null;
}

/** Put it after the insert of the submission, which decides the turn of the job. */
export function insertJob(deps: Deps, { longRubric, ...row }: NewJob): Statement {
	const { taskId, fromCriteria, perCriterionMs } = longRubric ?? { taskId: "", fromCriteria: 0, perCriterionMs: 0 };
	const beyond = sql`max(0, (select count(*) from criteria where task_id = ${taskId}) - ${fromCriteria})`;
	const unused = { leaseToken: null, leaseExpiresAt: null, lastError: null, waitingFor: null, outcome: null, finishedAt: null };
	const values = {
		...row,
		...unused,
		progress: null,
		attempts: 0,
		faults: 0,
		ceilingWaitMs: 0,
		giveUpAt: sql`${row.giveUpAt} + ${perCriterionMs} * ${beyond}`,
		...TURN_COLUMNS,
	};
	const { turns, source } = takeTurn(row.submissionId);
	return deps.db.query.insert(jobs).select(sql`${turns} ${selectValues(jobs, values, source)}`);
}

/** Holds while the submission is as it was read. */
export function guardSubmission(deps: Deps, submission: Pick<SubmissionForEvaluation, "id" | "revision">): Statement {
	return guard(deps.db, sql`exists (select 1 from submissions where id = ${submission.id} and revision = ${submission.revision})`);
}

/** Holds while the slot of a submission has not been returned. Voiding the submission can return it at any time. */
export function guardSlotTaken(deps: Deps, submissionId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from submissions where id = ${submissionId} and slot_returned = 0)`);
}

/** Holds while the task exists, or does not, as expected: a draft can be deleted while one of its dry runs is judged. */
export function guardTaskExists(deps: Deps, taskId: string, expected: boolean): Statement {
	return guard(deps.db, sql`exists (select 1 from tasks where id = ${taskId}) = ${expected ? 1 : 0}`);
}

export type NewEvaluation = Omit<typeof evaluations.$inferInsert, "comparisonGroup"> & JudgeIdentity;

/** Inserts an evaluation into the comparison group of its judge. Put `recordJudge` before it, so that the group exists. */
export function insertEvaluation(deps: Deps, taskId: string, row: NewEvaluation): Statement {
	const comparisonGroup = sql`(
		select number from comparison_groups where task_id = ${taskId} and fingerprint = ${judgeFingerprint(row)})`;
	return deps.db.query.insert(evaluations).values({ ...row, models: [...row.models], comparisonGroup });
}

/** Stores what models cost, one row for each model. A trigger adds the rows to the sums. */
export function insertUsage(deps: Deps, rows: readonly (typeof judgeUsage.$inferInsert)[]): Statement {
	return deps.db.query.insert(judgeUsage).values([...rows]);
}

/** What an evaluation says about its submission. */
type Outcome = Pick<SubmissionForEvaluation, "status" | "evaluated" | "errorMessage" | "ownerErrorMessage" | "failure"> &
	Partial<
		Pick<
			SubmissionForEvaluation,
			"finalScore" | "testScore" | "llmScore" | "containerScore" | "spread" | "evaluatedAt" | "iteration" | "reportKey" | "slotReturned"
		>
	> & {
		/** The evaluation whose comparison group the scores belong to. */
		readonly comparableWith?: string;
		/** The submission's own files kept it from being judged. */
		readonly isOwnFailure?: boolean;
	};

/** Writes an evaluation's outcome to its submission. Other changes of a submission are `updateSubmission` of the feature submissions. */
export function updateOutcome(deps: Deps, submissionId: string, { comparableWith, isOwnFailure = false, ...outcome }: Outcome): Statement {
	const group = sql`(select comparison_group from evaluations where id = ${comparableWith ?? ""})`;
	return deps.db.query
		.update(submissions)
		.set({
			...outcome,
			...(comparableWith === undefined ? {} : { comparisonGroup: group }),
			...(isOwnFailure ? { ownFailures: sql`${submissions.ownFailures} + 1` } : {}),
			revision: sql`${submissions.revision} + 1`,
			updatedAt: deps.clock.now(),
		})
		.where(eq(submissions.id, submissionId));
}

export function finishJob(deps: Deps, jobId: string, end: { outcome: "scored" | "failed"; lastError: string | null }): Statement {
	return deps.db.query
		.update(jobs)
		.set({ ...end, finishedAt: deps.clock.now() })
		.where(eq(jobs.id, jobId));
}

/** Ends the final round of a candidate that made its own judging fail. Those that share its judgement get their own. */
export function forfeitCandidate(deps: Deps, { taskId, agentId }: { taskId: string; agentId: string }): Statement {
	return deps.db.query
		.update(finalCandidates)
		.set({ outcome: "forfeited" })
		.where(and(eq(finalCandidates.taskId, taskId), eq(finalCandidates.agentId, agentId), sql`outcome is null`));
}

/** Gives an agent one slot back. */
export function returnSlot(deps: Deps, { taskId, agentId }: { taskId: string; agentId: string }): Statement {
	return deps.db.query
		.update(taskEntries)
		.set({ quotaUsed: sql`${taskEntries.quotaUsed} - 1` })
		.where(and(eq(taskEntries.taskId, taskId), eq(taskEntries.agentId, agentId), sql`quota_used > 0`));
}
