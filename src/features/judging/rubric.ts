// Judging a whole rubric: every criterion on its own, the weights applied here, never by a judge.

import type { SampleRecord } from "../../domain/evaluation-rounds.ts";
import { roundScore, weightedScore } from "../../domain/scores.ts";
import { sumUsage, viewUsage } from "../../domain/usage.ts";
import type { Judge, JudgedCriterion, JudgeRequest, Verdict } from "../../ports/judge.ts";
import { createUsageMeter, type UsageMeter } from "./usage-meter.ts";

export interface RubricRequest extends Omit<JudgeRequest, "criterion"> {
	readonly criteria: readonly WeightedCriterion[];
}

export interface WeightedCriterion extends JudgedCriterion {
	/** Positive; a rubric's weights sum to 100. */
	readonly weight: number;
}

interface JudgedVerdict {
	readonly criterion: WeightedCriterion;
	readonly verdict: Verdict;
}

/**
 * Scores every criterion and puts the scores together. How many calls run at once is the judge's business.
 *
 * @param meter Counts the calls, also when this ends in a fault.
 * @throws EvaluationFault the first one; the other criteria are called off, and have ended when this throws.
 */
export async function judgeRubric(judge: Judge, request: RubricRequest, meter: UsageMeter = createUsageMeter()) {
	const { criteria, ...material } = request;
	const verdicts = await untilFirstFault(criteria, async (criterion, signal): Promise<JudgedVerdict> => {
		const { name, description, evidence } = criterion;
		const watch = { signal, onCall: meter.add };
		return { criterion, verdict: await judge.judgeCriterion({ ...material, criterion: { name, description, evidence } }, watch) };
	});
	const dimensions = verdicts.map(({ criterion, verdict }) => ({
		criterion: criterion.name,
		weight: criterion.weight,
		score: roundScore(verdict.score),
		reasoning: verdict.reasoning,
	}));
	return {
		llmScore: weightedScore(dimensions),
		dimensions,
		samples: Object.fromEntries(verdicts.map(({ criterion, verdict }) => [criterion.name, recordSamples(judge, verdict)])),
		reasoning: summarize(judge, dimensions),
		breakdown: describeJudgement(judge, material, { verdicts, meter }),
		judge: judge.name,
		models: judge.models,
		promptVersion: judge.promptVersion,
	};
}

function recordSamples(judge: Judge, { samples, score }: Verdict): readonly SampleRecord[] {
	if (samples.length === 0) return [{ model: judge.name, level: null, score }];
	return samples.map(({ model, level, score }) => ({ model, level, score }));
}

/** Results in the order of the items. The first fault calls the rest off, and is thrown when they have all ended. */
async function untilFirstFault<Item, Result>(
	items: readonly Item[],
	work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
	const controller = new AbortController();
	const faults: unknown[] = [];
	const results = await Promise.all(
		items.map(async (item) => {
			try {
				return [await work(item, controller.signal)];
			} catch (error) {
				faults.push(error);
				controller.abort();
				return [];
			}
		}),
	);
	if (faults.length > 0) throw faults[0];
	return results.flat();
}

/** What the breakdown says of a judgement, for agents and posters to check it. */
function describeJudgement(
	judge: Judge,
	{ files, unreadPaths }: Pick<RubricRequest, "files" | "unreadPaths">,
	{ verdicts, meter }: { verdicts: readonly JudgedVerdict[]; meter: UsageMeter },
) {
	const byCriterion = <T>(of: (verdict: Verdict) => T) =>
		Object.fromEntries(verdicts.map(({ criterion, verdict }) => [criterion.name, of(verdict)]));
	const suspected = verdicts.filter(({ verdict }) => verdict.samples.some((sample) => sample.isInjectionSuspected));
	return {
		judge: judge.name,
		models: judge.models,
		prompt_version: judge.promptVersion,
		files_read: files.length,
		files_not_read: unreadPaths,
		files_cut: listCutFiles(verdicts),
		invisible_characters_removed: Math.max(0, ...verdicts.map(({ verdict }) => verdict.strippedCharacters)),
		injection_suspected: suspected.map(({ criterion }) => criterion.name),
		evidence: byCriterion(({ evidence }) => evidence),
		samples: byCriterion(({ samples }) =>
			samples.map(({ model, score, isInjectionSuspected, isCapped }) => ({
				model,
				score,
				injection_suspected: isInjectionSuspected,
				capped_for_lack_of_evidence: isCapped,
			})),
		),
		spread: byCriterion(({ samples }) => {
			const scores = samples.map(({ score }) => score);
			return scores.length === 0 ? 0 : Math.max(...scores) - Math.min(...scores);
		}),
		usage: viewUsage(sumUsage(meter.byModel())),
	};
}

/** Each file once, with the least that any criterion's judgement read of it. */
function listCutFiles(verdicts: readonly JudgedVerdict[]) {
	const cut = new Map<string, { lines_read: number; lines: number }>();
	for (const { path, linesRead, lines } of verdicts.flatMap(({ verdict }) => verdict.cutFiles)) {
		const least = Math.min(linesRead, cut.get(path)?.lines_read ?? linesRead);
		cut.set(path, { lines_read: least, lines });
	}
	return [...cut].map(([path, extent]) => ({ path, ...extent }));
}

function summarize(judge: Judge, scores: readonly { criterion: string; score: number }[]): string {
	const sorted = scores.toSorted((a, b) => b.score - a.score);
	const best = sorted[0];
	const worst = sorted.at(-1);
	if (best === undefined || worst === undefined) return "";
	const range = best === worst ? "" : ` Strongest: ${best.criterion} (${best.score}). Weakest: ${worst.criterion} (${worst.score}).`;
	return `Judged by the ${judge.name} judge on ${scores.length} criteria.${range}`;
}
