// The verbs that judge a submission again: for its agent or the task's owner, and for operators.
import { commit, decideAndCommit } from "../../db/commit.ts";
import { AppError } from "../../domain/errors.ts";
import { MODES } from "../../domain/modes.ts";
import { SUBMISSION_TRANSITIONS } from "../../domain/submission-status.ts";
import { recordEvents } from "../../events/outbox.ts";
import { toIso } from "../../platform/clock.ts";
import type { CommitItem } from "../../ports/database.ts";
import type { Ctx, PublicCtx } from "../../ports/deps.ts";
import { assertEvaluatedBefore, assertIterationsLeft, assertOwnFailuresLeft, assertReEvaluable } from "../competition/submissions/rules.ts";
import { submissionNotFound } from "../competition/submissions/store.ts";
import { enqueueEvaluation, newEvaluationJob } from "../evaluation/service.ts";
import { countForNetwork } from "../network-caps/service.ts";
import { assertFarFromCeilings } from "../spend/service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/**
 * Queues another evaluation of a submission, for its agent or the task's owner. The earlier ones stay, and the score becomes
 * the median of all. Contract: "request_re_eval rules".
 */
export function requestReEvaluation(ctx: Ctx, submissionId: string) {
	return decideAndCommit(ctx.db, async () => {
		const state = await store.findSubmissionState(ctx, submissionId);
		const isParty = state?.submission.agentId === ctx.actor.agentId || state?.task.companyId === ctx.actor.agentId;
		if (state === null || !isParty) throw submissionNotFound();
		const now = ctx.clock.now();
		assertReEvaluable(state, now);
		assertIterationsLeft(state.submission);
		if (state.task.companyId !== ctx.actor.agentId) assertOwnFailuresLeft(state.submission);
		if (MODES[state.task.evalMode].usesJudge) await assertFarFromCeilings(ctx, state.task);
		return (await judgeAgain(ctx, state, await countForNetwork(ctx, ctx.actor.agentId, { evaluations: 1 }))).view;
	});
}

/**
 * Queues another evaluation regardless of the cooldown and the task's state, for an operator of the deployment.
 *
 * @param record Builds the statements that record the act, from the submission before the change.
 * @throws AppError `NOT_FOUND`, `SUBMISSION_IN_PROGRESS`, `WRONG_STATUS`, `NO_ARTIFACT`.
 */
export function forceReEvaluation(ctx: PublicCtx, submissionId: string, record: (before: store.SubmissionRow) => CommitItem[]) {
	return decideAndCommit(ctx.db, async () => {
		const state = await store.findSubmissionState(ctx, submissionId);
		if (state === null) throw submissionNotFound();
		assertEvaluatedBefore(state.submission);
		return judgeAgain(ctx, state, record(state.submission));
	});
}

async function judgeAgain(ctx: PublicCtx, state: store.SubmissionState, also: readonly CommitItem[]) {
	const { id: submissionId, agentId } = state.submission;
	const now = ctx.clock.now();
	if ((await ctx.bucket.head(state.submission.artifactKey ?? "")) === null) throw new AppError("NO_ARTIFACT");
	const iteration = state.submission.iteration + 1;
	const job = newEvaluationJob(ctx, { submissionId, iteration, round: "re_evaluation", task: state.task });
	await commit(ctx.db, [
		statements.guardState(ctx, state),
		statements.updateSubmission(ctx, submissionId, {
			status: SUBMISSION_TRANSITIONS.reEvaluate.to,
			evaluated: false,
			errorMessage: null,
			ownerErrorMessage: null,
			failure: null,
			iteration,
			reEvaluatedAt: now,
		}),
		job.statement,
		...also,
		recordEvents(ctx, [{ type: "submission.running", taskId: state.task.id, submissionId, agentId }]),
	]);
	ctx.background(enqueueEvaluation(ctx, job.id));
	const view = {
		submission_id: submissionId,
		iteration,
		enqueued_at: toIso(now),
		message: "The evaluation is queued. The score becomes the median of all evaluations.",
	};
	return { jobId: job.id, view };
}
