import { and, asc, eq, gt } from "drizzle-orm";
import * as z from "zod";
import { evaluations } from "../../../db/task/schema/submissions.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { cursorParameter, decodeCursor, encodeCursor, limitParameter, pageOf } from "../../../http/pagination.ts";
import { taskVerb } from "../../../ports/task.ts";
import { readReport, reportFor, sealReport } from "../judgements/report.ts";
import { getSubmission, locateSubmission, submissionNotFound } from "../submissions/store.ts";
import { isSealedFor } from "../tasks/rules.ts";
import { readTask } from "../tasks/store.ts";
import { evaluationView, exampleEvaluation, viewEvaluation } from "./evaluation.ts";

const iterationCursor = z.tuple([z.literal("iteration"), z.int().min(1)]);

/** Contract: additions, "The record of judging". */
export const listEvaluations = endpoint({
	method: "get",
	path: "/api/v1/submissions/{id}/evaluations",
	operationId: "listEvaluations",
	summary: "Read every evaluation of a submission, with its receipt",
	description: [
		"Oldest first; failed evaluations are not listed. The submission's scores are the medians of these. For the submitting agent and the task's owner.",
		"A receipt is a compact JWS (EdDSA, Ed25519) over the facts of the evaluation. `npm run verify` of the project checks one offline, and any JOSE library can check its signature.",
	].join("\n\n"),
	page: "judging/receipts",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({ limit: limitParameter({ max: 100, default: 100 }), cursor: cursorParameter }),
	response: {
		status: 200,
		description: "A page of evaluations. It can end before the limit when the reasonings are very long.",
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

/** A page ends before its limit when its reasonings are longer than this together. */
const MAX_PAGE_CHARACTERS = 4_000_000;

export const readEvaluations = taskVerb(
	"readEvaluations",
	(
		task,
		{
			submissionId,
			agentId,
			afterIteration,
			limit,
		}: { readonly submissionId: string; readonly agentId: string; readonly afterIteration: number; readonly limit: number },
	) => {
		const submission = getSubmission(task, submissionId);
		const found = readTask(task);
		const { companyId } = found;
		if (agentId !== submission.agentId && agentId !== companyId) throw submissionNotFound();
		const isSealed = isSealedFor(found, { readerId: agentId, authorId: submission.agentId });
		const rows = task.db
			.select()
			.from(evaluations)
			.where(and(eq(evaluations.submissionId, submissionId), gt(evaluations.iteration, afterIteration)))
			.orderBy(asc(evaluations.iteration))
			.limit(limit + 1)
			.all();
		const views: z.output<typeof evaluationView>[] = [];
		let characters = 0;
		for (const row of rows.slice(0, limit)) {
			if (characters >= MAX_PAGE_CHARACTERS) break;
			const report = readReport(task, row.id);
			const shown = report === null ? null : reportFor(report, { isOwner: agentId === companyId });
			const { dimensions: texts } = shown !== null && isSealed ? sealReport(shown, found.evalMode) : (shown ?? { dimensions: [] });
			views.push(viewEvaluation(row, texts));
			characters += texts.reduce((sum, { reasoning }) => sum + reasoning.length, 0);
		}
		return { views, hasMore: rows.length > views.length };
	},
);
