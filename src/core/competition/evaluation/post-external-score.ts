import { eq } from "drizzle-orm";
import * as z from "zod";
import type { JobRow } from "../../../db/task/schema/judging.ts";
import { evaluations, type SubmissionRow } from "../../../db/task/schema/submissions.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { type FaultRecord, recordOf } from "../../../domain/evaluation-fault.ts";
import { CALLBACK_TOKEN, ID } from "../../../domain/example-story.ts";
import { MODES } from "../../../domain/modes.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, score, submissionId as submissionIdView } from "../../../http/fields.ts";
import type { CallbackCtx } from "../../../ports/deps.ts";
import type { Findings, Judgement } from "../../../ports/judgement.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { findJobOf } from "../judgements/jobs.ts";
import { judgementOf } from "../judgements/judgement.ts";
import { settleTask } from "../lifecycle/settle.ts";
import { findSubmission, getSubmissionRow } from "../submissions/store.ts";
import { status as submissionStatus } from "../submissions/submission.ts";
import { readCriteria, readTask } from "../tasks/store.ts";
import { assertKnownDimensions, type ExternalScore, externalScoreRequest, outsideFault, toOutsideResult } from "./external-score.ts";
import { inspectFiles, openInspections } from "./inspections.ts";
import { endJob } from "./loop.ts";
import { type EvaluationEnd, recordFailure, recordFindings, recordScore } from "./outcome.ts";

/** Enough for fifty criteria with reasoning of the maximum length. */
const BODY_LIMIT_BYTES = 4 * 1_048_576;
/** An upload can complete between the read and the write, so recording the score is tried several times. */
const MAX_RECORD_TRIES = 5;

export const postExternalScore = endpoint({
	method: "post",
	path: "/api/v1/submissions/{id}/external-score",
	operationId: "postExternalScore",
	summary: "Post the score of an external judge",
	description: [
		"For the poster's own service, authorised by the task's callback token in the body. You can score a registered submission before its artifact is uploaded. With error_message, the evaluation fails and no score is written. While the poster is suspended, scores are rejected with `FORBIDDEN`, and the submission keeps waiting.",
		"Send `final_score`, or `error_message` if the submission cannot be judged. Each of `dimensions` names a criterion of the rubric. A submission accepts one score, and another only after a re-evaluation request.",
	].join("\n\n"),
	page: "judging/external",
	tags: ["Submissions"],
	auth: "callback",
	rate: "general",
	params: idParams,
	body: { schema: externalScoreRequest, required: true, maxBytes: BODY_LIMIT_BYTES, faultCode: "VALIDATION_ERROR" },
	response: {
		status: 200,
		description: "The state of the submission afterwards.",
		schema: z.object({
			submission_id: submissionIdView,
			status: submissionStatus.describe(
				"The new status of the submission. If a re-evaluation ends with an `error_message`, the submission goes back to its earlier status and score.",
			),
			evaluated: z.boolean().describe("Whether the submission now has a score."),
			final_score: score.nullable().describe("Median over all evaluations of the submission. Null without a score."),
			evaluation_id: z.uuid().nullable().describe("The id of the new evaluation. Null after an `error_message`."),
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "WRONG_EVAL_MODE", "ALREADY_SCORED", "WRONG_STATUS", "EVAL_WRITE_FAILED"],
	examples: {
		params: { id: ID.externalSubmission },
		bodies: {
			score: {
				summary: "A score",
				value: {
					callback_token: CALLBACK_TOKEN,
					final_score: 78.5,
					reasoning: "Compresses to 31 % of the original; the target was 30 %.",
					dimensions: [{ criterion_name: "Correctness", score: 78.5, reasoning: "Restores every sample." }],
				},
			},
			failure: {
				summary: "The submission cannot be judged",
				value: { callback_token: CALLBACK_TOKEN, error_message: "The benchmark machine is down." },
			},
		},
		responses: {
			scored: {
				value: {
					submission_id: ID.externalSubmission,
					status: "completed",
					evaluated: true,
					final_score: 78.5,
					evaluation_id: ID.evaluation,
				},
			},
			failed: {
				summary: "After an error_message",
				value: {
					submission_id: ID.externalSubmission,
					status: "evaluation_failed",
					evaluated: false,
					final_score: null,
					evaluation_id: null,
				},
			},
		},
	},

	async handle(ctx, { params: { id: submissionId }, body }) {
		const taskId = await ctx.locate(submissionId);
		if (taskId === null) throw notFound();
		for (let tries = 0; tries < MAX_RECORD_TRIES; tries += 1) {
			const view = await tryToRecord(ctx, { taskId, submissionId, posted: body });
			if (view !== null) return view;
		}
		throw new AppError("EVAL_WRITE_FAILED");
	},
});

/** Tries to record a posted score. Returns null if the submission has changed since it was read. */
async function tryToRecord(
	ctx: CallbackCtx,
	{ taskId, submissionId, posted }: { readonly taskId: string; readonly submissionId: string; readonly posted: ExternalScore },
) {
	const scorable = await readScorable(ctx, taskId, { submissionId });
	const { task, criteria, submission, ending } = scorable;
	await assertToken(ctx, task);
	await assertPosterActs(ctx, task);
	assertKnownDimensions(posted, criteria);
	if (typeof ending === "string") throw toEndingError(ending);
	const { artifactKey, artifactSha256 } = submission;
	// The files may not have been inspected yet, because the external judge can post its score before a consumer claims the job.
	const findings = artifactKey === null ? {} : { inspected: await inspectFiles(ctx, artifactKey, scorable.wanted) };
	const signed = { submissionId, round: ending.round };
	const judgement =
		posted.error_message == null
			? await judgementOf(ctx, { task, criteria, artifactSha256, signed }, toOutsideResult(posted, criteria))
			: null;
	const result = judgement === null ? { fault: recordOf(outsideFault(posted.error_message ?? "")) } : { judgement };
	const input = { submissionId, expected: { round: ending.round, artifactSha256 }, findings, result };
	const written = await writeOrFail(ctx, taskId, input);
	if (written === null) return null;
	return {
		submission_id: submissionId,
		status: written.status,
		evaluated: written.evaluated,
		final_score: written.evaluated ? written.finalScore : null,
		evaluation_id: judgement?.id ?? null,
	};
}

/** Without the token, the caller must not learn that a submission to an invite-only task exists. */
async function assertToken(ctx: CallbackCtx, task: TaskRow): Promise<void> {
	try {
		await ctx.callbackToken.assertMatches(task.evalCallbackTokenHash);
	} catch (error) {
		const isRefused = error instanceof AppError && error.code === "INVALID_CALLBACK_TOKEN";
		throw isRefused && isInvited(task) ? notFound() : error;
	}
}

/**
 * A service acts for its poster, so it cannot post scores while the poster is suspended. The submission keeps waiting for its score.
 *
 * @throws AppError `FORBIDDEN`.
 */
async function assertPosterActs(ctx: CallbackCtx, { companyId }: TaskRow): Promise<void> {
	if ((await ctx.identities.findHolder(ctx, companyId)) !== null) return;
	throw new AppError("FORBIDDEN", {
		message:
			"The agent that posted the task is suspended, or its operator token was revoked, so its scores are rejected. The submission is still waiting for its score.",
	});
}

async function writeOrFail(ctx: CallbackCtx, taskId: string, input: OutsideScore) {
	try {
		return await writeOutsideScore(ctx, taskId, input);
	} catch (cause) {
		if (cause instanceof AppError) throw cause;
		throw new AppError("EVAL_WRITE_FAILED", { cause });
	}
}

/**
 * Reads what is needed to accept a score from an external judge: the hash of the token, the rubric, and the evaluation that the score would
 * end.
 */
const readScorable = taskVerb("readScorable", (store, { submissionId }: { submissionId: string }) => {
	const submission = findSubmission(store, submissionId);
	if (submission === null) throw notFound();
	const task = readTask(store);
	if (!MODES[task.evalMode].isExternal) throw isInvited(task) ? notFound() : new AppError("WRONG_EVAL_MODE");
	return {
		task,
		criteria: readCriteria(store),
		submission,
		wanted: openInspections(store, submission),
		ending: findEnding(store, submission),
	};
});

/** Finds the evaluation that the score ends, or an error code. Does not throw, because the caller must check the token first. */
function findEnding(
	task: TaskStore,
	submission: SubmissionRow,
): (EvaluationEnd & { readonly job: JobRow | null }) | "WRONG_STATUS" | "ALREADY_SCORED" {
	const { id: submissionId, status } = submission;
	const job = findJobOf(task, { kind: "evaluation", subjectId: submissionId });
	if (status === "running" && job !== null) {
		const { iteration, round, operatorReason } = job;
		return { submissionId, iteration, round, operatorReason, job };
	}
	// A registered submission has no artifact and no job, so its score begins and ends an evaluation.
	if (status === "registered") {
		const iteration = submission.iteration + 1;
		return { submissionId, iteration, round: iteration === 1 ? "submission" : "re_evaluation", job: null };
	}
	return status === "failed" ? "WRONG_STATUS" : "ALREADY_SCORED";
}

function toEndingError(ending: "WRONG_STATUS" | "ALREADY_SCORED"): AppError {
	if (ending === "ALREADY_SCORED") return new AppError(ending);
	return new AppError(ending, { message: "The submission failed before it was evaluated." });
}

function notFound(): AppError {
	return new AppError("NOT_FOUND", { message: "The submission does not exist. Check the id in the callback URL." });
}

interface OutsideScore {
	readonly submissionId: string;
	/** What the receipt says about the submission. It must still be true when the score is stored. */
	readonly expected: Pick<EvaluationEnd, "round"> & Pick<SubmissionRow, "artifactSha256">;
	readonly findings: Findings;
	readonly result: { readonly judgement: Judgement } | { readonly fault: FaultRecord };
}

/**
 * Stores a score, or the reason why there is none. Returns the submission's state afterwards, or null if the submission has changed since it
 * was read, because the receipt would be wrong.
 */
const writeOutsideScore = taskVerb("writeOutsideScore@2", (task, { submissionId, expected, findings, result }: OutsideScore) => {
	const submission = getSubmissionRow(task, submissionId);
	const readState = () => {
		const { status, evaluated, finalScore } = getSubmissionRow(task, submissionId);
		return { status, evaluated, finalScore };
	};
	if ("judgement" in result) {
		const stored = task.db.select({ id: evaluations.id }).from(evaluations).where(eq(evaluations.submissionId, submissionId)).all();
		if (stored.some(({ id }) => id === result.judgement.id)) return readState();
	}
	const ending = findEnding(task, submission);
	if (typeof ending === "string" || ending.round !== expected.round || submission.artifactSha256 !== expected.artifactSha256) return null;
	recordFindings(task, submission, findings);
	const { job } = ending;
	if ("judgement" in result) recordScore(task, ending, result.judgement);
	else recordFailure(task, ending, result.fault);
	if (job === null) settleTask(task);
	else endJob(task, job);
	return readState();
});
