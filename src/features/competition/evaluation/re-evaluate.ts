import { eq } from "drizzle-orm";
import { entries } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { MODES } from "../../../domain/modes.ts";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { enqueueEvaluation } from "../judgements/enqueue-evaluation.ts";
import { findJobOf } from "../judgements/jobs.ts";
import { ceilingsOf, hasCeiling, type Level } from "../spend/rules.ts";
import { assertFar, findLevels, readCeilings } from "../spend/service.ts";
import { whileCounted } from "../submissions/reservations.ts";
import { assertEvaluatedBefore, assertIterationsLeft, assertOwnFailuresLeft, assertReEvaluable } from "../submissions/rules.ts";
import { getSubmission, locateSubmission, type SubmissionRow, submissionNotFound, updateSubmission } from "../submissions/store.ts";
import { readTask, type TaskRow } from "../tasks/store.ts";
import { spendLevel } from "./record.ts";

interface ReEvaluation {
	readonly submissionId: string;
	/** Who asks: the submitting agent or the task's owner, or null for an operator, who may ask at any time. */
	readonly by: string | null;
}

/** What a re-evaluation depends on outside the object, if it is allowed inside. */
export const admitReEvaluation = taskVerb("admitReEvaluation", (task, asked: ReEvaluation) => {
	const { submission, found } = readReEvaluable(task, asked);
	const { companyId, budgetCents, evalMode } = found;
	return { artifactKey: submission.artifactKey, companyId, budgetCents, evalMode, level: spendLevel(task) };
});

/** Queues another evaluation. The earlier ones stay. Repeating the call with the same id changes nothing. */
export const reEvaluate = taskVerb("reEvaluate", (task, { id, ...asked }: ReEvaluation & { readonly id: string }) => {
	const { submissionId } = asked;
	const job = findJobOf(task, { kind: "evaluation", subjectId: submissionId });
	if (job?.id === id) return { jobId: id, iteration: job.iteration };
	const { submission, found } = readReEvaluable(task, asked);
	const { agentId } = submission;
	const iteration = submission.iteration + 1;
	updateSubmission(task, submissionId, {
		status: SUBMISSION_TRANSITIONS.reEvaluate.to,
		evaluated: false,
		errorMessage: null,
		ownerErrorMessage: null,
		failure: null,
		iteration,
		reEvaluatedAt: task.now,
	});
	enqueueEvaluation(task, found, { id, submissionId, party: partyOf(task, agentId), iteration, round: "re_evaluation" });
	task.record({ type: "submission.running", taskId: task.id, submissionId, agentId });
	return { jobId: id, iteration };
});

function partyOf({ db }: TaskStore, agentId: string): string {
	return db.select({ party: entries.party }).from(entries).where(eq(entries.agentId, agentId)).get()?.party ?? agentId;
}

/** @throws AppError as the rules of the feature submissions do. */
function readReEvaluable(task: TaskStore, { submissionId, by }: ReEvaluation): { submission: SubmissionRow; found: TaskRow } {
	const [submission, found] = [getSubmission(task, submissionId), readTask(task)];
	if (by === null) {
		assertEvaluatedBefore(submission);
		return { submission, found };
	}
	if (by !== submission.agentId && by !== found.companyId) throw submissionNotFound();
	assertReEvaluable({ submission, task: found }, task.now);
	assertIterationsLeft(submission);
	if (by !== found.companyId) assertOwnFailuresLeft(submission);
	return { submission, found };
}

/**
 * Queues another evaluation of a submission, for its agent or the task's owner. The score becomes the median of all. Contract:
 * "request_re_eval rules".
 */
export async function requestReEvaluation(ctx: Ctx, submissionId: string) {
	const { agentId } = ctx.actor;
	const taskId = await locateSubmission(ctx, submissionId);
	const asked = { submissionId, by: agentId };
	const now = ctx.clock.now();
	const { artifactKey, level, ...task } = await ctx.hubs.callTask(taskId, admitReEvaluation, { input: asked, now });
	if (MODES[task.evalMode].usesJudge) await assertFarFromCeilings(ctx, task, level);
	if ((await ctx.bucket.head(artifactKey ?? "")) === null) throw new AppError("NO_ARTIFACT");
	const input = { ...asked, id: ctx.ids.next() };
	const call = () => ctx.hubs.callTask(taskId, reEvaluate, { input, now });
	const { iteration } = await whileCounted(ctx, { agentId, evaluations: 1 }, { call });
	return {
		submission_id: submissionId,
		iteration,
		enqueued_at: toIso(now),
		message: "The evaluation is queued. The score becomes the median of all evaluations.",
	};
}

/** What is left near a ceiling is for submissions that have no score yet. @throws AppError `CONFLICT`. */
async function assertFarFromCeilings(ctx: Ctx, task: { companyId: string; budgetCents: number }, ofTask: Level): Promise<void> {
	if (ctx.judge?.estimateCall === undefined) return;
	const ceilings = ceilingsOf(task, await readCeilings(ctx));
	if (!hasCeiling(ceilings)) return;
	assertFar(await findLevels(ctx, task, { ceilings, ofTask }), ceilings, ctx.clock.now());
}
