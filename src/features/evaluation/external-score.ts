// The verb recordExternalScore: a score from outside, written by outcome.ts like every other one.

import type { z } from "zod";
import { decideAndCommit, StaleReadError } from "../../db/commit.ts";
import { EVALUATION_JOBS, guardUnfinished } from "../../db/leases.ts";
import { isTransient } from "../../db/transient.ts";
import { AppError, invalidInput } from "../../domain/errors.ts";
import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import { MODES } from "../../domain/modes.ts";
import { roundScore } from "../../domain/scores.ts";
import { SUBMISSION_TRANSITIONS } from "../../domain/submission-status.ts";
import type { CallbackCtx, PublicCtx } from "../../ports/deps.ts";
import { findUnknownDimensions } from "../judging/rules.ts";
import type { EvaluationResult } from "../judging/work.ts";
import { ensureSignature } from "../similarity/service.ts";
import { settleTask } from "../tasks/service.ts";
import type { externalScoreRequest } from "./contract.ts";
import { recordFailure, recordScore } from "./outcome.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

export type PostedScore = z.output<typeof externalScoreRequest>;

/** Records the score, or the failure, that the poster's service posts. Contract: "external-score rules". */
export async function recordExternalScore(ctx: CallbackCtx, submissionId: string, posted: PostedScore) {
	const outcome = await decideAndCommit(ctx.db, async () => {
		const work = await store.findWork(ctx, submissionId);
		if (work === null) throw new AppError("NOT_FOUND", { message: "The submission does not exist. Check the id in the callback URL." });
		if (!MODES[work.task.evalMode].isExternal) throw new AppError("WRONG_EVAL_MODE");
		await ctx.callbackToken.assertMatches(work.task.evalCallbackTokenHash);
		assertKnownDimensions(posted, work.criteria);
		const ending = endingOf(ctx, work);
		try {
			return await (posted.error_message == null
				? writeScore(ctx, { ...ending, posted })
				: writeFailure(ctx, ending, posted.error_message));
		} catch (cause) {
			if (cause instanceof AppError || cause instanceof StaleReadError || isTransient(cause)) throw cause;
			throw new AppError("EVAL_WRITE_FAILED", { cause });
		}
	});
	ctx.background(settleTask(ctx, outcome.taskId));
	return outcome.view;
}

export function assertKnownDimensions(posted: PostedScore, criteria: readonly { readonly name: string }[]): void {
	const unknown = findUnknownDimensions({ dimensions: posted.dimensions ?? [] }, criteria);
	if (unknown.length === 0) return;
	throw invalidInput(
		"VALIDATION_ERROR",
		unknown.map((name) => ({ path: "dimensions", message: `${JSON.stringify(name)} is not a criterion of the rubric, or occurs twice` })),
	);
}

/** What the score ends. A registered submission needs no artifact. The guard lets only the first of two posts through. */
function endingOf(ctx: PublicCtx, work: store.Work) {
	const { submission, activeJob } = work;
	if (submission.status === "running" && activeJob !== null) {
		const iteration = activeJob.iteration;
		return { work, jobId: activeJob.id, guard: guardUnfinished(ctx.db, EVALUATION_JOBS, activeJob.id), iteration };
	}
	if (submission.status === "registered") {
		return { work, jobId: null, guard: statements.guardSubmission(ctx, submission), iteration: submission.iteration + 1 };
	}
	if (submission.status === "failed") throw new AppError("WRONG_STATUS", { message: "The submission failed before it was evaluated." });
	throw new AppError("ALREADY_SCORED");
}

type Ending = ReturnType<typeof endingOf>;

async function writeScore(ctx: PublicCtx, { posted, ...ending }: Ending & { posted: PostedScore }) {
	const { submission, task, criteria } = ending.work;
	// The score may arrive before a consumer has visited the job, and afterwards none visits it.
	await ensureSignature(ctx, submission);
	const { evaluationId, finalScore } = await recordScore(ctx, { ...ending, result: toResult(posted, criteria) });
	const view = {
		submission_id: submission.id,
		status: SUBMISSION_TRANSITIONS.postScore.to,
		evaluated: true,
		final_score: finalScore,
		evaluation_id: evaluationId,
	};
	return { taskId: task.id, view };
}

export function toResult(posted: PostedScore, criteria: readonly { readonly name: string; readonly weight: number }[]): EvaluationResult {
	const dimensions = (posted.dimensions ?? []).map(({ criterion_name, score, reasoning }) => ({
		criterion: criterion_name,
		weight: criteria.find((criterion) => criterion.name === criterion_name)?.weight ?? 0,
		score: roundScore(score),
		reasoning: reasoning ?? "",
	}));
	return {
		finalScore: roundScore(posted.final_score ?? 0),
		testScore: null,
		llmScore: null,
		containerScore: null,
		dimensions,
		samples: {},
		reasoning: posted.reasoning ?? "",
		breakdown: { judge: "external" },
		ownerBreakdown: null,
		judge: "external",
		models: [],
		promptVersion: null,
		imageDigest: null,
	};
}

async function writeFailure(ctx: PublicCtx, { work, jobId, guard }: Ending, message: string) {
	const fault = new EvaluationFault(message, { blame: "submission", isRetryable: false, failure: "outside_judge" });
	await recordFailure(ctx, { work, jobId, guard, fault });
	const { submission, task } = work;
	const view = {
		submission_id: submission.id,
		status: SUBMISSION_TRANSITIONS.postFault.to,
		evaluated: false,
		final_score: null,
		evaluation_id: null,
	};
	return { taskId: task.id, view };
}
