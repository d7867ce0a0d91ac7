// The evaluations of one submission, as its agent and the task's owner read them.

import { roundScore } from "../../domain/scores.ts";
import { toIso } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import { readReport, reportFor } from "./report.ts";
import * as store from "./store.ts";

/** Reports are read a few at a time: one can have megabytes. */
const REPORTS_AT_ONCE = 4;
/** A page ends before its limit when its reasonings are longer than this together. */
export const MAX_PAGE_CHARACTERS = 4_000_000;

type FoundEvaluations = NonNullable<Awaited<ReturnType<typeof store.findEvaluations>>>;

interface EvaluationPage {
	readonly submissionId: string;
	/** Only evaluations with a greater iteration. */
	readonly afterIteration: number;
	readonly limit: number;
}

/** One evaluation more than the page may have, and who may see them: check that before {@link viewEvaluations}. */
export function findEvaluations(deps: Deps, { submissionId, afterIteration, limit }: EvaluationPage): Promise<FoundEvaluations | null> {
	return store.findEvaluations(deps, { submissionId, afterIteration, limit: limit + 1 });
}

/** A page of evaluations, oldest first, and whether there are more. */
export async function viewEvaluations(deps: Deps, found: FoundEvaluations, { limit, isOwner }: { limit: number; isOwner: boolean }) {
	const { rows } = found;
	const wanted = rows.slice(0, limit);
	const views: EvaluationView[] = [];
	let characters = 0;
	while (views.length < wanted.length && characters < MAX_PAGE_CHARACTERS) {
		const next = wanted.slice(views.length, views.length + REPORTS_AT_ONCE);
		const read = await Promise.all(next.map((row) => viewEvaluation(deps, row, isOwner)));
		views.push(...read);
		characters += read.flatMap(({ dimensions }) => dimensions).reduce((sum, { reasoning }) => sum + reasoning.length, 0);
	}
	return { views, hasMore: rows.length > views.length };
}

type EvaluationView = Awaited<ReturnType<typeof viewEvaluation>>;

async function viewEvaluation(deps: Deps, row: store.EvaluationRow, isOwner: boolean) {
	const report = await readReport(deps, row.reportKey);
	return viewRow(row, report === null ? [] : reportFor(report, { isOwner }).dimensions);
}

type ViewedRow = Omit<store.EvaluationRow, "jobId" | "reportKey">;

/** @param texts The dimensions of the report, as the reader may see them. They have the medians of all evaluations; the row has its own scores. */
export function viewRow(row: ViewedRow, texts: readonly { readonly criterion_name: string; readonly reasoning: string }[]) {
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

function copySamples(samples: store.EvaluationRow["samples"]) {
	return Object.fromEntries(Object.entries(samples).map(([criterion, records]) => [criterion, [...records]]));
}
