import { type EvaluationRound, ROUNDS } from "../../../domain/evaluation-rounds.ts";
import { median, medianOfKnown } from "../../../domain/scores.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";

/** A consumer that has not renewed its claim for this long counts as dead. */
export const CLAIM_MS = 90 * SECOND_MS;

/** Short enough that one failed renewal does not lose the claim. */
export const CLAIM_RENEWAL_MS = 30_000;

const MIN_WAIT_MS = 5 * SECOND_MS;
const MAX_WAIT_MS = 12 * 60 * MINUTE_MS;
/** The longest time until a waiting job checks again, if the service's response has no `Retry-After`. */
const MAX_BACK_OFF_MS = 15 * MINUTE_MS;

/**
 * Returns how long a job waits before it checks again: the time in `Retry-After` (between 1 s and 12 h), or otherwise half of its total
 * wait so far, between 5 s and 15 min.
 */
export function waitDelayMs(waitedMs: number, retryAfterSeconds: number | null): number {
	if (retryAfterSeconds === null) return Math.min(MAX_BACK_OFF_MS, Math.max(MIN_WAIT_MS, Math.ceil(waitedMs / 2)));
	return Math.min(MAX_WAIT_MS, Math.max(SECOND_MS, retryAfterSeconds * SECOND_MS));
}

/** If judging has two stages, the strong model judges only submissions that could reach one of these first places. */
export const FIRST_PLACES = 10;
/** How far a score must be below the last of the first places, in standard deviations, so that the cheap model's score is final. */
const REACH_DEVIATIONS = 2;

/**
 * Computes the lowest score with which a submission could reach the first places: as far below the last of them as noise can explain.
 * Returns null if there are too few entries, because any submission could then reach them.
 *
 * @param last The score of the entry in the last of these places. Null if there is none.
 * @param spread The standard deviation of a score in points.
 */
export function reachOf(last: number | null, spread: number): number | null {
	return last === null ? null : last - REACH_DEVIATIONS * Math.hypot(spread, spread);
}

interface CountedEvaluation {
	readonly round: EvaluationRound;
	/** The number of the judge's configuration. */
	readonly comparisonGroup: number;
	readonly rubricVersion: number;
}

/**
 * Chooses the evaluations whose median is the score: the newest if it is a person's, otherwise those that replace others, otherwise the
 * largest comparison group (the oldest if several are equally large). So a new judge counts only once it has judged more often than the old
 * one, and changing the judge is not a second chance.
 *
 * @param all Oldest first, at least one.
 */
export function countedEvaluations<Evaluation extends CountedEvaluation>(all: readonly Evaluation[]): Evaluation[] {
	const newest = all.at(-1);
	if (newest !== undefined && ROUNDS[newest.round].isByPerson) return [newest];
	const byJudges = all.filter(({ round }) => !ROUNDS[round].isByPerson);
	const replacing = byJudges.filter(({ round }) => ROUNDS[round].replaces);
	if (replacing.length > 0) return replacing;
	const groups = Map.groupBy(byJudges, ({ comparisonGroup, rubricVersion }) => `${comparisonGroup} ${rubricVersion}`);
	// Groups are in the order of their first evaluations, and the sort is stable.
	return [...groups.values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
}

/** Returns the median of each kind of score. */
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

/** Returns the warning to the task's owner about an image that cannot be started. */
export function imageWarning({ message, ownerMessage }: { readonly message: string; readonly ownerMessage: string | null }): string {
	return `The task's image could not be started, so submissions are not judged and agents get their slots back. ${ownerMessage ?? message}`;
}
