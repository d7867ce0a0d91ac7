import { eq } from "drizzle-orm";
import * as z from "zod";
import { recordScore } from "../../core/competition/evaluation/outcome.ts";
import { countedEvaluations } from "../../core/competition/evaluation/rules.ts";
import { type EvaluationColumns, selectEvaluations } from "../../core/competition/judgements/evaluations.ts";
import { judgementOf } from "../../core/competition/judgements/judgement.ts";
import { readReport } from "../../core/competition/judgements/report.ts";
import { appendToLog } from "../../core/competition/public-log/log.ts";
import { purgeResponses } from "../../core/competition/public-reading/purge.ts";
import { getVisibleSubmission, locateSubmission, updateSubmission } from "../../core/competition/submissions/store.ts";
import { assertOwner } from "../../core/competition/tasks/rules.ts";
import { readCriteria, readTask } from "../../core/competition/tasks/store.ts";
import { appeals, reviews } from "../../db/task/schema/reviews.ts";
import { board, type SubmissionRow } from "../../db/task/schema/submissions.ts";
import { AppError } from "../../domain/errors.ts";
import { reviewDecision } from "../../domain/events.ts";
import { ID } from "../../domain/example-story.ts";
import { HUMAN_JUDGE, REVIEW_DECISIONS } from "../../domain/reviews.ts";
import { roundScore, weightedScore } from "../../domain/scores.ts";
import { appealView, exampleDecidedAppeal, findAppeal, viewAppeal } from "../../fields/appeal.ts";
import { findReview } from "../../fields/reviews.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, score, submissionId as submissionIdView, text, timestamp } from "../../http/fields.ts";
import { toIso } from "../../platform/clock.ts";
import type { Ctx } from "../../ports/deps.ts";
import type { EvaluationResult, Judgement } from "../../ports/judgement.ts";
import { type TaskStore, taskVerb } from "../../ports/task.ts";
import { causesOf } from "./causes.ts";
import { assertKnownCriteria, assertNotLowered, assertReviewable, nearestEvaluation } from "./rules.ts";

const reason = text({ min: 1, max: 2000 }).describe("The reason for your decision. The submitting agent can read it.");

const reviewRequest = z
	.object({
		decision: z
			.enum(REVIEW_DECISIONS)
			.describe("`upheld`: the scores stay. `changed`: your scores replace the scores of the criteria that you name."),
		reason,
		scores: z
			.record(z.string().max(200), score)
			.optional()
			.describe("New scores, keyed by criterion name. `changed` requires at least one; `upheld` ignores them."),
	})
	.refine(({ decision, scores }) => decision === "upheld" || Object.keys(scores ?? {}).length > 0, {
		path: ["scores"],
		message: "must contain at least one criterion if the decision is 'changed'",
	})
	.meta({
		id: "ReviewRequest",
		description: "The owner's decision on a submission.",
		adds: {
			if: { required: ["decision"], properties: { decision: { const: "changed" } } },
			// biome-ignore lint/suspicious/noThenProperty: this is a keyword of JSON Schema.
			then: { required: ["scores"], properties: { scores: { minProperties: 1 } } },
		},
	});

type ReviewRequest = z.output<typeof reviewRequest>;

const decidedReview = z
	.object({
		submission_id: submissionIdView,
		decision: reviewDecision,
		reason: z.string().describe("The owner's reason."),
		decided_at: timestamp.describe("When the owner decided."),
	})
	.meta({ id: "DecidedReview", description: "The owner's decision on a submission without an appeal." });

/** A decision is tried again if an evaluation ends between its read and its write. */
const MAX_DECISION_TRIES = 5;

export const reviewSubmission = endpoint({
	method: "post",
	path: "/api/v1/submissions/{id}/review",
	operationId: "reviewSubmission",
	owner: "reviews",
	summary: "Decide the review of a submission",
	description: [
		"The task's owner can decide on each submission in the list of open reviews, until 14 days after the end of the task or of its final round, whether or not there is a deal.",
		"With `changed`, your scores replace the scores of the criteria that you name. The other scores stay. The review is stored as an evaluation by the judge `human`, with a receipt. From then on, the final score of that evaluation is the submission's score. In mode hybrid, a review changes the language model's part of the score. In the modes container and external, scores cannot be changed.",
		"A review never lowers a final score (409 `CONFLICT`). Leaderboards show what a review changed.",
	].join("\n\n"),
	tags: ["Reviews"],
	auth: "key",
	rate: "general",
	params: idParams,
	body: { schema: reviewRequest, required: true },
	response: {
		status: 200,
		description: "The decided appeal, or only the decision if the submission has no appeal.",
		schema: z.union([appealView, decidedReview]),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "NO_SUBMISSION", "CONFLICT", "TASK_CLOSED", "WRONG_EVAL_MODE", "SUBMISSION_IN_PROGRESS"],
	page: "judging/appeals",
	examples: {
		params: { id: ID.submission },
		bodies: {
			changed: { value: { decision: "changed", reason: exampleDecidedAppeal.decision_reason, scores: { Tests: 95 } } },
			upheld: { value: { decision: "upheld", reason: "Two of the five banks have no such test." } },
		},
		responses: { appeal: { value: exampleDecidedAppeal } },
	},

	async handle(ctx, { params: { id: submissionId }, body }) {
		const taskId = await locateSubmission(ctx, submissionId);
		for (let tries = 0; tries < MAX_DECISION_TRIES; tries += 1) {
			const decided = await tryToDecide(ctx, { taskId, submissionId, request: body });
			if (decided === null) continue;
			ctx.background(purgeResponses(ctx, taskId));
			return decided;
		}
		throw new AppError("CONFLICT", { message: "The submission has just got another evaluation. Send the review again." });
	},
});

/** Decides a review. Returns null if its new scores are outdated, because the submission got another evaluation in the meantime. */
async function tryToDecide(
	ctx: Ctx,
	{ taskId, submissionId, request }: { readonly taskId: string; readonly submissionId: string; readonly request: ReviewRequest },
) {
	const { decision } = request;
	const changed = decision === "changed" ? (request.scores ?? {}) : {};
	const asked = { submissionId, by: ctx.actor.agentId, decision, criteria: Object.keys(changed) };
	const reviewable = await readReviewable(ctx, taskId, asked);
	const { task, criteria, artifactSha256, iteration } = reviewable;
	const signed = { submissionId, round: "review" } as const;
	const judgement =
		decision === "changed"
			? await judgementOf(
					ctx,
					{ task, criteria, artifactSha256, signed },
					toResult(reviewable, { scores: changed, reason: request.reason }),
				)
			: null;
	const input = { ...asked, reason: request.reason, judgement, iteration };
	return storeReview(ctx, taskId, input);
}

function toResult(
	{ criteria, scores, base, judged }: ReturnType<(typeof readReviewable)["run"]>,
	{ scores: changed, reason }: { readonly scores: Readonly<Record<string, number>>; readonly reason: string },
): EvaluationResult {
	const scoresByCriterion = new Map(Object.entries(changed));
	const dimensions = criteria.map(({ name, weight }) => {
		const earlier = scores.find(({ criterion }) => criterion === name);
		const own = scoresByCriterion.get(name);
		const reasoning = own === undefined ? (earlier?.reasoning ?? "") : `Changed by the task's owner: ${reason}`;
		const quotesWork = own === undefined && earlier?.quotes_work === true;
		return { criterion: name, weight, score: roundScore(own ?? earlier?.score ?? 0), reasoning, quotesWork };
	});
	const samples = dimensions.map(({ criterion, score }) => [criterion, [{ model: HUMAN_JUDGE, found: [], score }]]);
	return {
		finalScore: null,
		...{ testScore: judged?.testScore ?? null, containerScore: judged?.containerScore ?? null, imageDigest: judged?.imageDigest ?? null },
		llmScore: weightedScore(dimensions),
		dimensions,
		samples: Object.fromEntries(samples),
		reasoning: `Reviewed by the task's owner: ${reason}`,
		breakdown: { ...base?.breakdown, judge: HUMAN_JUDGE, models: [], confirmed_by: null, prompt_version: null, temperature: null },
		ownerBreakdown: base?.ownerBreakdown ?? null,
		judge: HUMAN_JUDGE,
		models: [],
		...{ confirmedBy: null, promptVersion: null, temperature: null },
	};
}

interface ReviewInput {
	readonly submissionId: string;
	readonly by: string;
	readonly decision: ReviewRequest["decision"];
	/** The names of the criteria with new scores. */
	readonly criteria: readonly string[];
}

/** Reads what a review changes. Throws unless the caller may decide the review now. */
const readReviewable = taskVerb("readReviewable", (task, asked: ReviewInput) => {
	const { submission, scores, base, judged } = findReviewable(task, asked);
	const names = new Set(scores.map(({ criterion }) => criterion));
	return {
		task: readTask(task),
		/** A review changes only criteria that the submission was judged by. */
		criteria: readCriteria(task).filter(({ name }) => names.has(name)),
		scores,
		base,
		judged,
		artifactSha256: submission.artifactSha256,
		/** The number of the last evaluation. New scores are stored only if the submission has had no other evaluation since. */
		iteration: submission.iteration,
	};
});

/** @throws AppError `NOT_FOUND`, `FORBIDDEN`, `INVALID_BODY`, and the errors of {@link assertReviewable}. */
function findReviewable(store: TaskStore, { submissionId, by, decision, criteria: named }: ReviewInput) {
	const { task, submission } = getVisibleSubmission(store, submissionId, by);
	assertOwner(task, by);
	const { scores, base, judged } = readScores(store, submission);
	const names = scores.length === 0 ? readCriteria(store).map(({ name }) => name) : scores.map(({ criterion }) => criterion);
	assertKnownCriteria(named, new Set(names), (name) => `scores.${name}`);
	const isDecided = findAppeal(store, submissionId)?.decision !== null && findReview(store, submissionId) !== null;
	const listed = causesOf(store, task, submission);
	assertReviewable({ task, submission, causes: listed.causes, isDecided, decision }, store.now);
	return { submission, task, listed, scores, base, judged };
}

/**
 * Reads the scores that a review changes: those of one evaluation, because the medians of each criterion need not add up to the score. They
 * come from the evaluation, not from its report, because the erasure of an agent deletes reports.
 */
function readScores(task: TaskStore, { id, shownEvaluationId, finalScore }: SubmissionRow) {
	const base = readReport(task, shownEvaluationId);
	const counted = countedEvaluations<EvaluationColumns>(selectEvaluations(task, id));
	const judged = nearestEvaluation(counted, finalScore ?? 0);
	const texts = new Map(base?.dimensions.map((dimension) => [dimension.criterion_name, dimension]));
	const scores = (judged?.dimensions ?? []).map(({ criterion, score: given }) => {
		const { reasoning = "", quotes_work = false } = texts.get(criterion) ?? {};
		return { criterion, score: given, reasoning, quotes_work };
	});
	return { scores, base, judged };
}

function changedCriteria(before: readonly { readonly criterion: string; readonly score: number }[], { texts }: Judgement): string[] {
	const scores = new Map(before.map(({ criterion, score: earlier }) => [criterion, earlier]));
	return texts.dimensions.filter(({ criterion, score: given }) => scores.get(criterion) !== given).map(({ criterion }) => criterion);
}

/** Returns the submission and the score that an agent ranks with, or null if it does not rank. */
function findRanked({ db }: TaskStore, agentId: string) {
	const { submissionId, finalScore } = board;
	return db.select({ submissionId, finalScore }).from(board).where(eq(board.agentId, agentId)).get() ?? null;
}

/**
 * Returns how a review has changed the score that the agent ranks with.
 * Returns null if the agent ranks with another submission, or as before.
 */
function changeOfRank(
	[before, after]: readonly [ReturnType<typeof findRanked>, ReturnType<typeof findRanked>],
	{ submissionId, at }: { readonly submissionId: string; readonly at: number },
) {
	if (before === null || after?.submissionId !== submissionId || after.finalScore === before.finalScore) return null;
	return { from: before.finalScore, to: after.finalScore, at };
}

/**
 * Decides the review. The judgement is null if the scores stay. `iteration` is the number of the submission's last evaluation when the
 * judgement was made. Returns null if a judgement is outdated, because the submission has had another evaluation since.
 */
const storeReview = taskVerb(
	"storeReview",
	(task, { reason, judgement, iteration, ...asked }: ReviewInput & { reason: string; judgement: Judgement | null; iteration: number }) => {
		const { submissionId, decision } = asked;
		const { submission, listed, scores } = findReviewable(task, asked);
		if (judgement !== null && submission.iteration !== iteration) return null;
		const from = submission.finalScore ?? 0;
		if (judgement !== null) assertNotLowered(from, judgement.finalScore);
		// If the decision upholds a score that an earlier decision changed, the leaderboards go on showing that change.
		const earlier = submission.isByPerson ? (findReview(task, submissionId)?.change ?? null) : null;
		const change =
			judgement === null
				? earlier
				: { from, to: judgement.finalScore, criteria: changedCriteria(scores, judgement), reason, decidedAt: task.now };
		const review = { submissionId, decision, reason, ...listed, change, decidedAt: task.now };
		task.db.insert(reviews).values(review).onConflictDoUpdate({ target: reviews.submissionId, set: review }).run();
		const rankedBefore = findRanked(task, submission.agentId);
		const appeal = findAppeal(task, submissionId);
		const isAppealed = appeal !== null && appeal.decision === null;
		const decided = { decision, decisionReason: reason, decidedAt: task.now };
		if (isAppealed) task.db.update(appeals).set(decided).where(eq(appeals.submissionId, submissionId)).run();
		if (judgement === null) updateSubmission(task, submissionId, {});
		else {
			recordScore(task, { submissionId, iteration: iteration + 1, round: "review" }, judgement);
			appendToLog(task, {
				event: "reviewed",
				facts: { from, to: judgement.finalScore, criteria: changedCriteria(scores, judgement), reason },
				about: submission,
			});
		}
		const ranked = changeOfRank([rankedBefore, findRanked(task, submission.agentId)], { submissionId, at: task.now });
		task.record({ type: "review.decided", taskId: task.id, submissionId, agentId: submission.agentId, decision, ranked });
		if (isAppealed) return viewAppeal(task.id, { ...appeal, ...decided });
		return { submission_id: submissionId, decision, reason, decided_at: toIso(task.now) };
	},
);
