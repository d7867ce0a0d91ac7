import { and, asc, eq, gt, ne } from "drizzle-orm";
import * as z from "zod";
import { isScoredByImage, type ReaderReport, readReport, reportFor, sealReport } from "../../core/competition/judgements/report.ts";
import { checksView, gapsView } from "../../core/competition/submissions/scores.ts";
import { getVisibleSubmission, locateSubmission } from "../../core/competition/submissions/store.ts";
import { isSealedFor } from "../../core/competition/tasks/rules.ts";
import { findHiddenNames } from "../../core/competition/tasks/store.ts";
import { type EvaluationRow, evaluations } from "../../db/task/schema/submissions.ts";
import { FINDINGS } from "../../domain/checks.ts";
import { EVALUATION_ROUNDS } from "../../domain/evaluation-rounds.ts";
import { AT, CRITERIA, DIMENSIONS, FINAL_SCORE, ID } from "../../domain/example-story.ts";
import { roundScore } from "../../domain/scores.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, score, sha256, timestamp } from "../../http/fields.ts";
import {
	countFitting,
	cursorParameter,
	decodeCursor,
	encodeCursor,
	limitParameter,
	MAX_PAGE_BYTES,
	pageOf,
} from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import { taskVerb } from "../../ports/task.ts";

const sampleView = z
	.object({
		model: z.string().describe("Who made the sample: a model, or the judge's name if no model was used."),
		found: z
			.array(z.enum(FINDINGS))
			.describe(
				"The answers to the checks, in order. An answer whose quote was not found or not confirmed has been corrected. Empty if a person judged.",
			),
		score: score.describe("The score of the sample."),
	})
	.meta({ id: "Sample", description: "One sample of one criterion." });

const evaluationDimensionView = z
	.object({
		criterion_name: z.string().describe("The name of the criterion in the task's rubric."),
		weight: z.number().describe("The criterion's share of the score, in percent."),
		score: score.describe("The score of the criterion in this evaluation."),
		reasoning: z.string().describe("Why the criterion got this score. Empty if only the poster may read it."),
		checks: checksView.optional().describe("The checks of the criterion with this evaluation's answers. Only in the modes llm and hybrid."),
		gaps: gapsView.optional().describe("What this evaluation found missing. Only in the modes llm and hybrid."),
	})
	.meta({ id: "EvaluationDimension", description: "The score of one criterion in one evaluation." });

const evaluationView = z
	.object({
		id: z.uuid().describe("The evaluation's id."),
		iteration: z.number().int().min(1).describe("The number of the evaluation, from 1. Numbers of failed evaluations are skipped."),
		round: z
			.enum(EVALUATION_ROUNDS)
			.describe(
				"Why the evaluation was made. `submission`: the artifact was new. `re_evaluation`: it was requested. `final`: the final round. `review`: the owner has changed scores.",
			),
		final_score: score.describe("The final score of this evaluation."),
		test_score: score.nullable().describe("The score of the tests. Null if no tests ran."),
		llm_score: score.nullable().describe("The score of the language model. Null if no model judged the submission."),
		container_score: score.nullable().describe("The score of the poster's image. Null if no image ran."),
		dimensions: z.array(evaluationDimensionView).describe("The score of each criterion. Empty if criteria were not scored individually."),
		samples: z
			.record(z.string(), z.array(sampleView))
			.describe(
				"The samples of each criterion. The value of a check is the mean over its samples. With three or more samples, the lowest and the highest are dropped first. Empty in the modes external and container.",
			),
		judge: z.string().describe("Who judged. `external` is the poster's own service."),
		models: z.array(z.string()).describe("The configured models of the judge. Empty if no model was used."),
		confirmed_by: z
			.string()
			.nullable()
			.describe("The model that confirmed the quotes. Null if none did, or if each of several models confirmed its own quotes."),
		prompt_version: z.string().nullable().describe("The version of the judge's prompts. Null if no model was used."),
		rubric_version: z.number().int().min(1).describe("The version of the task's rubric."),
		image_digest: z.string().nullable().describe("The digest of the image that ran. Null if no image ran."),
		artifact_sha256: sha256
			.nullable()
			.describe("SHA-256 of the artifact in hex. Null if the score was posted before the artifact was uploaded."),
		spread: z
			.number()
			.min(0)
			.nullable()
			.describe(
				"The standard deviation of `final_score` in points, estimated from the samples. Null unless every criterion has at least three samples.",
			),
		created_at: timestamp.describe("When the evaluation ended."),
		receipt: z
			.string()
			.nullable()
			.describe(
				"The signed record of this evaluation, a compact JWS. /.well-known/jwks.json has the keys. Null for the owner of a sealed container task until the task is closed.",
			),
	})
	.meta({ id: "Evaluation", description: "One judgement of a submission." });

type ListedEvaluation = Omit<EvaluationRow, "submissionId" | "evalMode" | "comparisonGroup" | "temperature">;

/**
 * Shows an evaluation.
 *
 * @param texts The report's dimensions that the reader may see.
 * The report's scores are medians of all evaluations, so the row's scores are shown instead.
 */
function viewEvaluation(
	row: ListedEvaluation,
	texts: readonly Pick<ReaderReport["dimensions"][number], "criterion_name" | "reasoning" | "checks" | "gaps">[],
): z.output<typeof evaluationView> {
	const byName = new Map(texts.map((text) => [text.criterion_name, text]));
	return {
		id: row.id,
		iteration: row.iteration,
		round: row.round,
		final_score: row.finalScore,
		test_score: row.testScore,
		llm_score: row.llmScore,
		container_score: row.containerScore,
		dimensions: row.dimensions.map(({ criterion, weight, score }) => ({
			criterion_name: criterion,
			weight,
			score,
			reasoning: byName.get(criterion)?.reasoning ?? "",
			...(row.llmScore === null ? {} : { checks: byName.get(criterion)?.checks ?? [], gaps: byName.get(criterion)?.gaps ?? [] }),
		})),
		samples: Object.fromEntries(
			Object.entries(row.samples).map(([criterion, samples]) => [
				criterion,
				samples.map(({ found, ...rest }) => ({ ...rest, found: [...found] })),
			]),
		),
		judge: row.judge,
		models: row.models,
		confirmed_by: row.confirmedBy,
		prompt_version: row.promptVersion,
		rubric_version: row.rubricVersion,
		image_digest: row.imageDigest,
		artifact_sha256: row.artifactSha256,
		spread: row.spread === null ? null : roundScore(row.spread),
		created_at: toIso(row.createdAt),
		receipt: row.receipt,
	};
}

/** Ada's submission in the documentation's examples has only this evaluation. The header and the claims of its receipt are shortened. */
const exampleEvaluation = {
	id: ID.evaluation,
	iteration: 1,
	round: "submission",
	final_score: FINAL_SCORE,
	test_score: null,
	llm_score: FINAL_SCORE,
	container_score: null,
	dimensions: CRITERIA.map(({ name, weight }, index) => ({
		criterion_name: name,
		weight,
		score: DIMENSIONS[index]?.score ?? 0,
		reasoning: DIMENSIONS[index]?.reasoning ?? "",
	})),
	samples: {
		Correctness: [{ model: "openai:gpt-5.2", found: ["yes", "yes", "yes"], score: 100 }],
		Tests: [{ model: "openai:gpt-5.2", found: ["yes", "partly"], score: 75 }],
		Documentation: [{ model: "openai:gpt-5.2", found: ["yes", "partly"], score: 75 }],
	},
	judge: "openai",
	models: ["openai:gpt-5.2"],
	confirmed_by: "openai:gpt-5.2",
	prompt_version: "checks-1/2",
	rubric_version: 1,
	image_digest: null,
	artifact_sha256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
	spread: null,
	created_at: AT.evaluated,
	receipt:
		"eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNGsiLCJ0eXAiOiJyZWNlaXB0K2p3dCJ9.eyJyb3VuZCI6InN1Ym1pc3Npb24ifQ.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
} as const;

const iterationCursor = z.tuple([z.literal("iteration"), z.int().min(1)]);

export const listEvaluations = endpoint({
	method: "get",
	path: "/api/v1/submissions/{id}/evaluations",
	operationId: "listEvaluations",
	owner: "record",
	summary: "Read every evaluation of a submission, with its receipt",
	description: [
		"The submitting agent and the task's owner can read the evaluations, oldest first. Failed evaluations are not listed. The submission's scores are the medians of the listed evaluations, unless a final round or a review replaces them. On a task with hidden criteria, the agent sees the evaluation of the final round once the round has ended.",
		"A receipt is a compact JWS (EdDSA, Ed25519) over the facts of the evaluation. `npm run verify` in the project's repository checks a receipt offline, and any JOSE library can check its signature.",
	].join("\n\n"),
	page: "judging/receipts",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 100, default: 100 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of evaluations. If the texts are very long, the page contains fewer evaluations than the limit.",
		schema: pageOf(evaluationView, "The evaluations, oldest first.").meta({
			id: "EvaluationList",
			description: "A page of the evaluations of a submission.",
		}),
	},
	errors: ["NOT_FOUND"],
	examples: {
		params: { id: ID.submission },
		query: { limit: "100" },
		responses: { page: { value: { data: [exampleEvaluation], pagination: { has_more: false, next_cursor: null } } } },
	},

	async handle(ctx, { params: { id: submissionId }, query: { limit, cursor } }) {
		const afterIteration = decodeCursor(cursor, iterationCursor)?.[1] ?? 0;
		const input = { submissionId, agentId: ctx.actor.agentId, afterIteration, limit };
		const taskId = await locateSubmission(ctx, submissionId);
		const { views, hasMore } = await readEvaluations(ctx, taskId, input);
		const last = views.at(-1);
		const next_cursor = hasMore && last !== undefined ? encodeCursor(["iteration", last.iteration]) : null;
		return { data: views, pagination: { has_more: hasMore, next_cursor } };
	},
});

/** A page ends early once the total length of its text reaches this, so that no page reads a hundred long reports. */
const MAX_READ_CHARACTERS = MAX_PAGE_BYTES;

const readEvaluations = taskVerb(
	"readEvaluations",
	(
		store,
		{
			submissionId,
			agentId,
			afterIteration,
			limit,
		}: { readonly submissionId: string; readonly agentId: string; readonly afterIteration: number; readonly limit: number },
	) => {
		const { task, submission } = getVisibleSubmission(store, submissionId, agentId);
		const isSealed = isSealedFor(task, { readerId: agentId, authorId: submission.agentId });
		const isOwner = agentId === task.companyId;
		// The receipt of a final round names the hidden criteria, so readers who may not know them do not see its evaluations.
		const isShown = isOwner || findHiddenNames(store, task).size === 0 ? undefined : ne(evaluations.round, "final");
		const rows = store.db
			.select()
			.from(evaluations)
			.where(and(eq(evaluations.submissionId, submissionId), gt(evaluations.iteration, afterIteration), isShown))
			.orderBy(asc(evaluations.iteration))
			.limit(limit + 1)
			.all();
		const views: z.output<typeof evaluationView>[] = [];
		let characters = 0;
		for (const row of rows.slice(0, limit)) {
			if (characters >= MAX_READ_CHARACTERS) break;
			const report = readReport(store, row.id);
			const readersReport = report === null ? null : reportFor(report, { isOwner });
			const { dimensions: texts } =
				readersReport !== null && isSealed ? sealReport(readersReport, task.evalMode) : (readersReport ?? { dimensions: [] });
			const view = viewEvaluation(row, texts);
			views.push(isSealed && isScoredByImage(task.evalMode) ? { ...view, dimensions: [], receipt: null } : view);
			characters += JSON.stringify(views.at(-1)).length;
		}
		const page = views.slice(0, countFitting(views, limit));
		return { views: page, hasMore: rows.length > page.length };
	},
);
