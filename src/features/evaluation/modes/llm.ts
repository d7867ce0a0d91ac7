// The mode llm: one of the ways to judge, chosen in choose.ts.
import type { Deps } from "../../../deps.ts";
import { readArtifactFiles } from "../artifact/files.ts";
import { EvaluationFault } from "../faults.ts";
import type { Judge } from "../judge/port.ts";
import { roundScore, weightedScore } from "../rules.ts";
import type { EvaluationResult, EvaluationWork } from "../work.ts";

/** Criteria that are judged at the same time. */
const PARALLEL_CRITERIA = 5;

/** Scores every criterion on its own with the configured judge; the weights are applied here. */
export async function evaluateWithJudge(deps: Deps, work: EvaluationWork): Promise<EvaluationResult> {
	const judge = requireJudge(deps);
	if (work.submission.artifactKey === null) {
		throw new EvaluationFault("The submission has no artifact.", { blame: "submission", isRetryable: false });
	}
	const { files, unreadPaths } = await readArtifactFiles(deps, work.submission.artifactKey);
	const request = { task: work.task, files, unreadPaths, missingSections: work.submission.missingSections ?? [] };
	const verdicts = await mapInParallel(work.criteria, PARALLEL_CRITERIA, async (criterion) => {
		const verdict = await judge.judgeCriterion({ ...request, criterion: { name: criterion.name, description: criterion.description } });
		return { ...verdict, score: roundScore(verdict.score), criterion };
	});
	const llmScore = weightedScore(verdicts.map(({ score, criterion }) => ({ score, weight: criterion.weight })));
	return {
		testScore: null,
		llmScore,
		containerScore: null,
		dimensions: verdicts.map(({ criterion, score, reasoning }) => ({
			criterion: criterion.name,
			weight: criterion.weight,
			score,
			reasoning,
		})),
		reasoning: summarize(
			judge,
			verdicts.map(({ criterion, score }) => ({ name: criterion.name, score })),
		),
		breakdown: {
			judge: judge.name,
			models: judge.models,
			prompt_version: judge.promptVersion,
			files_read: files.length,
			files_not_read: unreadPaths,
			evidence: Object.fromEntries(verdicts.map(({ criterion, evidence }) => [criterion.name, evidence])),
		},
		judge: judge.name,
		models: judge.models,
		promptVersion: judge.promptVersion,
		imageDigest: null,
	};
}

function requireJudge(deps: Deps): Judge {
	if (deps.judge !== null) return deps.judge;
	throw new EvaluationFault("This deployment has no judge configured. Its operator finds in docs/deploying.md which variables name one.", {
		blame: "platform",
		isRetryable: false,
	});
}

function summarize(judge: Judge, scores: readonly { name: string; score: number }[]): string {
	const sorted = scores.toSorted((a, b) => b.score - a.score);
	const best = sorted[0];
	const worst = sorted.at(-1);
	if (best === undefined || worst === undefined) return "";
	const range = best === worst ? "" : ` Strongest: ${best.name} (${best.score}). Weakest: ${worst.name} (${worst.score}).`;
	return `Judged by the ${judge.name} judge on ${scores.length} criteria.${range}`;
}

/** Results in the order of the items, with at most `limit` under way. The first fault ends it. */
async function mapInParallel<Item, Result>(
	items: readonly Item[],
	limit: number,
	work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	for (let start = 0; start < items.length; start += limit) {
		results.push(...(await Promise.all(items.slice(start, start + limit).map(work))));
	}
	return results;
}
