import { and, asc, eq, gt } from "drizzle-orm";
import * as z from "zod";
import { evaluations } from "../../../db/task/schema/submissions.ts";
import { roundScore } from "../../../domain/scores.ts";
import { decodeCursor, encodeCursor } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { reportFor } from "../judgements/report.ts";
import { readReport } from "../judgements/reports.ts";
import { getSubmission, locateSubmission, submissionNotFound } from "../submissions/store.ts";
import { readTask } from "../tasks/store.ts";

/** A page ends before its limit when its reasonings are longer than this together. */
const MAX_PAGE_CHARACTERS = 4_000_000;

interface EvaluationPage {
	readonly submissionId: string;
	/** Who reads. */
	readonly agentId: string;
	/** Only evaluations with a greater iteration. */
	readonly afterIteration: number;
	readonly limit: number;
}

/** A page of a submission's evaluations, oldest first. It ends before its limit when the reasonings are very long. */
export const readEvaluations = taskVerb("readEvaluations", (task, { submissionId, agentId, afterIteration, limit }: EvaluationPage) => {
	const submission = getSubmission(task, submissionId);
	const { companyId } = readTask(task);
	if (agentId !== submission.agentId && agentId !== companyId) throw submissionNotFound();
	const rows = task.db
		.select()
		.from(evaluations)
		.where(and(eq(evaluations.submissionId, submissionId), gt(evaluations.iteration, afterIteration)))
		.orderBy(asc(evaluations.iteration))
		.limit(limit + 1)
		.all();
	const views: ReturnType<typeof viewRow>[] = [];
	let characters = 0;
	for (const row of rows.slice(0, limit)) {
		if (characters >= MAX_PAGE_CHARACTERS) break;
		const report = readReport(task, row.id);
		const texts = report === null ? [] : reportFor(report, { isOwner: agentId === companyId }).dimensions;
		views.push(viewRow(row, texts));
		characters += texts.reduce((sum, { reasoning }) => sum + reasoning.length, 0);
	}
	return { views, hasMore: rows.length > views.length };
});

const iterationCursor = z.tuple([z.literal("iteration"), z.int().min(1)]);

/** Every evaluation of a submission, for its agent and the task's owner. Contract: additions, "The record of judging". */
export async function listEvaluations(ctx: Ctx, submissionId: string, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const afterIteration = decodeCursor(cursor, iterationCursor)?.[1] ?? 0;
	const input = { submissionId, agentId: ctx.actor.agentId, afterIteration, limit };
	const taskId = await locateSubmission(ctx, submissionId);
	const { views, hasMore } = await ctx.hubs.callTask(taskId, readEvaluations, { input, now: ctx.clock.now() });
	const last = views.at(-1);
	return {
		data: views,
		pagination: { has_more: hasMore, next_cursor: hasMore && last !== undefined ? encodeCursor(["iteration", last.iteration]) : null },
	};
}

type ViewedRow = Omit<typeof evaluations.$inferSelect, "submissionId" | "evalMode" | "comparisonGroup">;

/** @param texts The dimensions of the report, as the reader may see them. They have the medians of all evaluations; the row has its own scores. */
function viewRow(row: ViewedRow, texts: readonly { readonly criterion_name: string; readonly reasoning: string }[]) {
	const reasonings = new Map(texts.map(({ criterion_name, reasoning }) => [criterion_name, reasoning]));
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
			reasoning: reasonings.get(criterion) ?? "",
		})),
		samples: copySamples(row.samples),
		judge: row.judge,
		models: row.models,
		prompt_version: row.promptVersion,
		rubric_version: row.rubricVersion,
		image_digest: row.imageDigest,
		artifact_sha256: row.artifactSha256,
		spread: row.spread === null ? null : roundScore(row.spread),
		created_at: toIso(row.createdAt),
		receipt: row.receipt,
	};
}

function copySamples(samples: ViewedRow["samples"]) {
	return Object.fromEntries(Object.entries(samples).map(([criterion, records]) => [criterion, [...records]]));
}
