import type { EvaluationRound } from "../../../domain/evaluation-rounds.ts";
import { type JudgeIdentity, judgeFingerprint } from "../../../domain/evaluation-rounds.ts";
import { median, medianOfKnown } from "../../../domain/scores.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import { retryDelayMs } from "../../judging/rules.ts";
import { copyChecks, type EvaluationReport, type ResultTexts } from "../judgements/report.ts";

/** A consumer that has not renewed its claim for this long has died. */
export const CLAIM_MS = 90 * SECOND_MS;

/** A consumer renews its claim so often that one failed renewal does not lose it. */
export const CLAIM_RENEWAL_MS = 30_000;

/** Waits for rate limits extend a job's time limit by this much in total. Waits for ceilings come in addition. */
export const MAX_WAITING_MS = 24 * 60 * MINUTE_MS;
const MAX_WAIT_MS = 12 * 60 * MINUTE_MS;
/** Without a `Retry-After`, the back-off stops growing after the fourth attempt. */
const MAX_BACK_OFF_STEPS = 4;

/** Returns how long a wait that costs no attempt lasts: as long as `Retry-After` says, at most 12 h, or a back-off of 5 s to 135 s. */
export function waitDelayMs(attempts: number, retryAfterSeconds: number | null): number {
	if (retryAfterSeconds === null) return retryDelayMs(Math.min(attempts, MAX_BACK_OFF_STEPS), null);
	return Math.min(MAX_WAIT_MS, Math.max(1_000, retryAfterSeconds * 1000));
}

/**
 * Chooses the evaluations that make up a submission's score: the last review that has changed scores, unless a final round has come after
 * it; only those of the final round, once there is one; else those of the same rubric by the judge, models and prompt version of the newest.
 * Evaluations by an earlier judge stay counted until the new one has made as many, because a change of the judge must not open a second
 * draw. Their median counts, so that asking again and again gains nothing.
 *
 * @param earlier Oldest first.
 */
export function countedEvaluations<Evaluation extends JudgeIdentity & { readonly round: EvaluationRound; readonly rubricVersion: number }>(
	earlier: readonly Evaluation[],
	newest: Evaluation,
): Evaluation[] {
	const all = [...earlier, newest];
	const reviewed = all.findLastIndex(({ round }) => round === "review");
	const final = all.slice(reviewed + 1).filter(({ round }) => round === "final");
	if (final.length > 0) return final;
	if (reviewed >= 0) return all.slice(reviewed, reviewed + 1);
	const ofRubric = all.filter(({ rubricVersion }) => rubricVersion === newest.rubricVersion);
	const byJudge = Map.groupBy(ofRubric, judgeFingerprint);
	const own = byJudge.get(judgeFingerprint(newest))?.length ?? 0;
	return ofRubric.filter((evaluation) => {
		const isOwn = judgeFingerprint(evaluation) === judgeFingerprint(newest);
		return isOwn || (byJudge.get(judgeFingerprint(evaluation))?.length ?? 0) > own;
	});
}

/**
 * Chooses the comparison group of a score: the group of most of the evaluations that make it up, and the newest of equally large ones. A
 * score that still rests on an earlier judge is not shown as one of the new judge.
 *
 * @param counted Oldest first, at least one.
 */
export function groupOfScore(counted: readonly { readonly comparisonGroup: number }[]): number | null {
	const sizes = Map.groupBy(counted, ({ comparisonGroup }) => comparisonGroup);
	const sorted = counted.toReversed().toSorted((a, b) => sizeOf(b) - sizeOf(a));
	function sizeOf({ comparisonGroup }: { readonly comparisonGroup: number }): number {
		return sizes.get(comparisonGroup)?.length ?? 0;
	}
	return sorted[0]?.comparisonGroup ?? null;
}

/** Takes the median of each kind of score. */
export function mergeScores(
	all: readonly {
		readonly finalScore: number;
		readonly testScore: number | null;
		readonly llmScore: number | null;
		readonly containerScore: number | null;
	}[],
) {
	return {
		finalScore: median(all.map((row) => row.finalScore)),
		testScore: medianOfKnown(all.map((row) => row.testScore)),
		llmScore: medianOfKnown(all.map((row) => row.llmScore)),
		containerScore: medianOfKnown(all.map((row) => row.containerScore)),
	};
}

/** Joins the newest reasoning with the median score of each criterion. */
export function mergeReport(
	result: ResultTexts,
	{
		counted,
		evaluations,
	}: {
		/** These evaluations make up the score, the newest included. */
		readonly counted: readonly { readonly dimensions: readonly { readonly criterion: string; readonly score: number }[] }[];
		readonly evaluations: number;
	},
): EvaluationReport {
	const dimensions = result.dimensions.map(({ criterion, weight, score, reasoning, checks = [], gaps = [], quotesWork = false }) => {
		const known = counted.flatMap((row) =>
			row.dimensions.filter((dimension) => dimension.criterion === criterion).map((dimension) => dimension.score),
		);
		const texts = { reasoning, checks: copyChecks(checks), gaps: [...gaps], quotes_work: quotesWork };
		return { criterion_name: criterion, weight, score: median(known) ?? score, ...texts };
	});
	const breakdown = { ...result.breakdown, evaluations };
	return { reasoning: result.reasoning, dimensions, breakdown, ownerBreakdown: result.ownerBreakdown };
}

/** Writes what the task's owner reads when the task's image cannot be started. */
export function imageWarning({ message, ownerMessage }: { readonly message: string; readonly ownerMessage: string | null }): string {
	return `Submissions are not judged and get their slots back, because the task's image could not be started. ${ownerMessage ?? message}`;
}
