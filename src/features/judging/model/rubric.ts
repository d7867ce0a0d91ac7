// Judges a whole rubric. Each criterion is judged by itself, and the weights are applied here, because a judge never sees them.
import type { SampleRecord } from "../../../domain/evaluation-rounds.ts";
import { roundScore, weightedScore } from "../../../domain/scores.ts";
import type { CriterionBrief, CutFile, Judge, JudgeRequest, JudgeWatch, Verdict, WorkFile } from "../../../ports/judge.ts";
import { quoteRanges } from "./injections.ts";
import { prepareFile } from "./material.ts";
import { anySignal, untilFirstFault } from "./parallel.ts";
import { repeatsFiles } from "./repeated-text.ts";
import { openJudgeSession } from "./session.ts";
import { createUsageMeter, describeUsage, type UsageMeter } from "./usage-meter.ts";

export interface RubricRequest extends Omit<JudgeRequest, "criterion"> {
	readonly criteria: readonly RubricCriterion[];
}

export interface RubricCriterion extends Omit<CriterionBrief, "anchors"> {
	/** The weight is positive, and the weights of a rubric sum to 100. */
	readonly weight: number;
}

interface CriterionVerdict {
	readonly criterion: RubricCriterion;
	readonly verdict: Verdict;
}

/**
 * Scores every criterion and puts the scores together. The judge decides how many calls run at once.
 *
 * @param watch The meter counts the calls, also when judging ends in a fault.
 * @throws EvaluationFault for the first fault. The other criteria are aborted, and have ended when this throws.
 */
export async function judgeRubric(
	judge: Judge,
	request: RubricRequest,
	watch: Omit<JudgeWatch, "onCall"> & { readonly meter?: UsageMeter } = {},
) {
	const { criteria, ...material } = request;
	const { meter = createUsageMeter(), session = openJudgeSession() } = watch;
	const verdicts = await untilFirstFault(criteria, async (criterion, signal): Promise<CriterionVerdict> => {
		const { name, description, evidence, checks } = criterion;
		const judged = { name, description, evidence, checks, anchors: null };
		const following = { signal: anySignal(watch.signal, signal), onCall: meter.add, session };
		return { criterion, verdict: await judge.judgeCriterion({ ...material, criterion: judged }, following) };
	});
	const dimensions = verdicts.map(({ criterion, verdict }) => ({
		criterion: criterion.name,
		weight: criterion.weight,
		score: roundScore(verdict.score),
		reasoning: verdict.reasoning,
		checks: verdict.checks,
		gaps: verdict.gaps,
		quotesWork: repeatsFiles(verdict, material.files),
	}));
	return {
		llmScore: weightedScore(dimensions),
		dimensions,
		samples: Object.fromEntries(verdicts.map(({ criterion, verdict }) => [criterion.name, recordSamples(judge, verdict)])),
		reasoning: summarizeScores(judge, dimensions),
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

/** Makes the breakdown of a judgement, with which agents and posters can check it. */
function describeJudgement(
	judge: Judge,
	{ files, unreadPaths }: Pick<RubricRequest, "files" | "unreadPaths">,
	{ verdicts, meter }: { verdicts: readonly CriterionVerdict[]; meter: UsageMeter },
) {
	const lines = new Map(files.map((file) => [file.path, prepareFile(file).lines]));
	const byCriterion = <T>(of: (verdict: Verdict) => T) =>
		Object.fromEntries(verdicts.map(({ criterion, verdict }) => [criterion.name, of(verdict)]));
	const suspected = verdicts.filter(({ verdict }) => hasInjection(verdict));
	return {
		judge: judge.name,
		models: judge.models,
		prompt_version: judge.promptVersion,
		files_read: files.length,
		files_not_read: unreadPaths,
		files_cut: mergeCutFiles([...files.flatMap(cutInReading), ...verdicts.flatMap(({ verdict }) => verdict.cutFiles)]),
		invisible_characters_removed: Math.max(0, ...verdicts.map(({ verdict }) => verdict.strippedCharacters)),
		injection_suspected: suspected.map(({ criterion }) => criterion.name),
		injection_lines: Object.fromEntries(
			verdicts.flatMap(({ criterion, verdict: { injectedLines } }) =>
				injectedLines === undefined ? [] : [[criterion.name, quoteRanges(injectedLines, (path) => lines.get(path) ?? [])]],
			),
		),
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
		usage: describeUsage(meter.byModel()),
	};
}

function hasInjection({ samples, injectedLines }: Verdict): boolean {
	return injectedLines !== undefined || samples.some((sample) => sample.isInjectionSuspected);
}

/**
 * Returns what was cut before the judge read a file. A judge without a prompt, such as the offline one, does not report what was cut before
 * it.
 */
function cutInReading(file: WorkFile): CutFile[] {
	if (file.totalLines === undefined) return [];
	return [{ path: file.path, linesRead: prepareFile(file).lines.length, lines: file.totalLines }];
}

/** Lists each file once, with the least that any criterion's judgement read of it. */
function mergeCutFiles(cutFiles: readonly CutFile[]) {
	const cut = new Map<string, { lines_read: number; lines: number }>();
	for (const { path, linesRead, lines } of cutFiles) {
		const least = Math.min(linesRead, cut.get(path)?.lines_read ?? linesRead);
		cut.set(path, { lines_read: least, lines });
	}
	return [...cut].map(([path, extent]) => ({ path, ...extent }));
}

function summarizeScores(judge: Judge, scores: readonly { criterion: string; score: number }[]): string {
	const sorted = scores.toSorted((a, b) => b.score - a.score);
	const best = sorted[0];
	const worst = sorted.at(-1);
	if (best === undefined || worst === undefined) return "";
	const range = best === worst ? "" : ` Strongest: ${best.criterion} (${best.score}). Weakest: ${worst.criterion} (${worst.score}).`;
	return `Judged by the ${judge.name} judge on ${scores.length} criteria.${range}`;
}
