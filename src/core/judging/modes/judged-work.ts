// Turns a judge's answers into scores with the rubric's weights. The judge never sees the weights.
import type { CheckSamples } from "../../../domain/checks.ts";
import { weightedScore } from "../../../domain/scores.ts";
import type { CheckJudgement, EvaluationRequest, Judge, JudgedFile, UnreadPart } from "../../../ports/judge.ts";
import { splitLines } from "../engine/marking.ts";
import { describeUsage, type ModelUsage } from "../usage-meter.ts";
import { repeatsFiles } from "./repeated-text.ts";

/** The criteria in the order of the request, with their weights. */
type WeightedCriteria = readonly { readonly name: string; readonly weight: number }[];

interface JudgedWork {
	readonly request: Pick<EvaluationRequest, "files" | "unreadPaths">;
	readonly criteria: WeightedCriteria;
}

/**
 * Builds the result of a judgement, with the weighted score of all criteria.
 *
 * @param used The usage of all calls to models, including those of earlier attempts.
 */
export function scoreJudgement(
	judge: Pick<Judge, "name" | "models" | "confirmer" | "promptVersion" | "temperature">,
	judgement: CheckJudgement,
	{ request, criteria, used }: JudgedWork & { readonly used: readonly ModelUsage[] },
) {
	const dimensions = dimensionsOf(judgement, { request, criteria });
	const samples: CheckSamples = Object.fromEntries(judgement.criteria.map((criterion) => [criterion.name, criterion.samples]));
	const identity = {
		judge: judge.name,
		models: judge.models,
		confirmedBy: judge.confirmer,
		promptVersion: judge.promptVersion,
		temperature: judge.temperature,
	};
	return {
		...identity,
		llmScore: weightedScore(dimensions),
		dimensions,
		samples,
		reasoning: summarizeScores(judge.name, dimensions),
		breakdown: {
			judge: identity.judge,
			models: identity.models,
			confirmed_by: identity.confirmedBy,
			prompt_version: identity.promptVersion,
			temperature: identity.temperature,
			files_read: request.files.length,
			files_not_read: request.unreadPaths,
			files_cut: mergeCutFiles([...request.files.flatMap(cutInReading), ...judgement.cutFiles]),
			invisible_characters_removed: judgement.strippedCharacters,
			injection_suspected: judgement.criteria.filter(({ isInjectionSuspected }) => isInjectionSuspected).map(({ name }) => name),
			quotes: judgement.quotes,
			usage: describeUsage(used),
		},
	};
}

function dimensionsOf(judgement: CheckJudgement, { request, criteria }: JudgedWork) {
	const weights = new Map(criteria.map(({ name, weight }) => [name, weight]));
	return judgement.criteria.map(({ name, score, reasoning, checks, gaps }) => ({
		criterion: name,
		weight: weights.get(name) ?? 0,
		score,
		reasoning,
		checks,
		gaps,
		quotesWork: repeatsFiles({ reasoning, gaps }, request.files),
	}));
}

/** Returns how much of a file was read, if it was cut when the artifact was read. A judge without prompts does not report this itself. */
function cutInReading({ path, text, totalLines }: JudgedFile): UnreadPart[] {
	return totalLines === undefined ? [] : [{ path, linesRead: splitLines(text).length, lines: totalLines }];
}

/** Lists each file once, with the smallest part of it that was read. */
function mergeCutFiles(cutFiles: readonly UnreadPart[]) {
	const cut = new Map<string, { lines_read: number; lines: number }>();
	for (const { path, linesRead, lines } of cutFiles) {
		const least = Math.min(linesRead, cut.get(path)?.lines_read ?? linesRead);
		cut.set(path, { lines_read: least, lines });
	}
	return [...cut].map(([path, extent]) => ({ path, ...extent }));
}

function summarizeScores(judge: string, scores: readonly { readonly criterion: string; readonly score: number }[]): string {
	const sorted = scores.toSorted((a, b) => b.score - a.score);
	const best = sorted[0];
	const worst = sorted.at(-1);
	if (best === undefined || worst === undefined) return "";
	const range = best === worst ? "" : ` Strongest: ${best.criterion} (${best.score}). Weakest: ${worst.criterion} (${worst.score}).`;
	return `Judged by the ${judge} judge on ${scores.length} criteria.${range}`;
}
