import { eq } from "drizzle-orm";
import type * as z from "zod";
import { evaluations } from "../../../db/task/schema/submissions.ts";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { EvaluationFault, type FaultRecord, recordOf } from "../../../domain/evaluation-fault.ts";
import { MODES } from "../../../domain/modes.ts";
import { roundScore } from "../../../domain/scores.ts";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import type { CallbackCtx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { findUnknownDimensions } from "../../judging/rules.ts";
import type { EvaluationResult } from "../../judging/work.ts";
import { findJobOf, type JobRow } from "../judgements/jobs.ts";
import type { Findings, Judgement } from "../judgements/judgement.ts";
import { judgementOf } from "../judgements/judgement.ts";
import { settle } from "../lifecycle/settle.ts";
import { signArtifact } from "../similarity/signed-work.ts";
import { findSubmission, getSubmission, type SubmissionRow } from "../submissions/store.ts";
import { readCriteria, readTask } from "../tasks/store.ts";
import type { externalScoreRequest } from "./contract.ts";
import { endJob } from "./loop.ts";
import { type Ending, isSigned, keepFindings, recordFailure, recordScore } from "./outcome.ts";

type PostedScore = z.output<typeof externalScoreRequest>;

function assertKnownDimensions(posted: PostedScore, criteria: readonly { readonly name: string }[]): void {
	const unknown = findUnknownDimensions({ dimensions: posted.dimensions ?? [] }, criteria);
	if (unknown.length === 0) return;
	throw invalidInput(
		"VALIDATION_ERROR",
		unknown.map((name) => ({ path: "dimensions", message: `${JSON.stringify(name)} is not a criterion of the rubric, or occurs twice` })),
	);
}

function toResult(posted: PostedScore, criteria: readonly { readonly name: string; readonly weight: number }[]): EvaluationResult {
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

function notFound(): AppError {
	return new AppError("NOT_FOUND", { message: "The submission does not exist. Check the id in the callback URL." });
}

/** What a score from outside needs: the hash of the token, the rubric, and what the score would end. */
export const readScorable = taskVerb("readScorable", (task, { submissionId }: { submissionId: string }) => {
	const submission = findSubmission(task, submissionId);
	if (submission === null) throw notFound();
	const found = readTask(task);
	if (!MODES[found.evalMode].isExternal) throw new AppError("WRONG_EVAL_MODE");
	return {
		task: found,
		criteria: readCriteria(task),
		submission,
		isSigned: isSigned(task, submission),
		ending: endingOf(task, submission),
	};
});

/** What the score ends; a refusal is decided after the token, which only the caller of the verb can check. */
function endingOf(
	task: TaskStore,
	submission: SubmissionRow,
): (Ending & { readonly job: JobRow | null }) | "WRONG_STATUS" | "ALREADY_SCORED" {
	const { id: submissionId, status } = submission;
	const job = findJobOf(task, { kind: "evaluation", subjectId: submissionId });
	if (status === "running" && job !== null) return { submissionId, iteration: job.iteration, round: job.round, job };
	// A registered submission needs no artifact.
	if (status === "registered") {
		const iteration = submission.iteration + 1;
		return { submissionId, iteration, round: iteration === 1 ? "submission" : "re_evaluation", job: null };
	}
	return status === "failed" ? "WRONG_STATUS" : "ALREADY_SCORED";
}

interface OutsideScore {
	readonly submissionId: string;
	/** What the receipt says. */
	readonly expected: Pick<Ending, "round"> & Pick<SubmissionRow, "artifactSha256">;
	readonly found: Findings;
	readonly result: { readonly judgement: Judgement } | { readonly fault: FaultRecord };
}

/** Writes a score, or why there is none. Null when the submission has changed, so that the receipt would be wrong. */
export const writeOutsideScore = taskVerb("writeOutsideScore", (task, { submissionId, expected, found, result }: OutsideScore) => {
	const submission = getSubmission(task, submissionId);
	if ("judgement" in result) {
		const known = task.db.select({ id: evaluations.id }).from(evaluations).where(eq(evaluations.submissionId, submissionId)).all();
		if (known.some(({ id }) => id === result.judgement.id)) return { finalScore: submission.finalScore };
	}
	const ending = endingOf(task, submission);
	if (typeof ending === "string") throw refusalOf(ending);
	if (ending.round !== expected.round || submission.artifactSha256 !== expected.artifactSha256) return null;
	keepFindings(task, submission, found);
	const { job } = ending;
	const finalScore = "judgement" in result ? recordScore(task, ending, result.judgement).finalScore : null;
	if ("fault" in result) recordFailure(task, ending, result.fault);
	if (job === null) settle(task);
	else endJob(task, job);
	return { finalScore };
});

function refusalOf(ending: "WRONG_STATUS" | "ALREADY_SCORED"): AppError {
	if (ending === "ALREADY_SCORED") return new AppError(ending);
	return new AppError(ending, { message: "The submission failed before it was evaluated." });
}

/** An upload can complete between the read and the write, and it does so once. */
const MAX_TRIES = 5;

/** Records the score, or the failure, that the poster's service posts. Contract: "external-score rules". */
export async function recordExternalScore(ctx: CallbackCtx, submissionId: string, posted: PostedScore) {
	const taskId = await ctx.locate(submissionId);
	if (taskId === null) throw notFound();
	for (let tries = 0; tries < MAX_TRIES; tries += 1) {
		const view = await tryToRecord(ctx, { taskId, submissionId, posted });
		if (view !== null) return view;
	}
	throw new AppError("EVAL_WRITE_FAILED");
}

interface Posted {
	readonly taskId: string;
	readonly submissionId: string;
	readonly posted: PostedScore;
}

async function tryToRecord(ctx: CallbackCtx, { taskId, submissionId, posted }: Posted) {
	const now = ctx.clock.now();
	const scorable = await ctx.hubs.callTask(taskId, readScorable, { input: { submissionId }, now });
	const { task, criteria, submission, ending } = scorable;
	await ctx.callbackToken.assertMatches(task.evalCallbackTokenHash);
	assertKnownDimensions(posted, criteria);
	if (typeof ending === "string") throw refusalOf(ending);
	const { artifactKey, artifactSha256 } = submission;
	// The score may arrive before a consumer has visited the job, and afterwards none visits it.
	const found = artifactKey === null || scorable.isSigned ? {} : { signature: await signArtifact(ctx, artifactKey) };
	const signed = { submissionId, round: ending.round, sharers: [] };
	const judgement =
		posted.error_message == null ? await judgementOf(ctx, { task, criteria, artifactSha256, signed }, toResult(posted, criteria)) : null;
	const result = judgement === null ? { fault: recordOf(outsideFault(posted.error_message ?? "")) } : { judgement };
	const input = { submissionId, expected: { round: ending.round, artifactSha256 }, found, result };
	const written = await write(ctx, taskId, input);
	if (written === null) return null;
	return {
		submission_id: submissionId,
		status: judgement === null ? SUBMISSION_TRANSITIONS.postFault.to : SUBMISSION_TRANSITIONS.postScore.to,
		evaluated: judgement !== null,
		final_score: written.finalScore,
		evaluation_id: judgement?.id ?? null,
	};
}

function outsideFault(message: string): EvaluationFault {
	return new EvaluationFault(message, { blame: "submission", isRetryable: false, failure: "outside_judge" });
}

async function write(ctx: CallbackCtx, taskId: string, input: OutsideScore) {
	try {
		return await ctx.hubs.callTask(taskId, writeOutsideScore, { input, now: ctx.clock.now() });
	} catch (cause) {
		if (cause instanceof AppError) throw cause;
		throw new AppError("EVAL_WRITE_FAILED", { cause });
	}
}
