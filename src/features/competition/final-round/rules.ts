import type { TaskRow } from "../../../db/task/schema/task.ts";
import { type CheckSamples, criterionScore } from "../../../domain/checks.ts";
import { AppError } from "../../../domain/errors.ts";
import { POINTS_PER_LEVEL, roundScore, weightedScore } from "../../../domain/scores.ts";
import { isOver, UPLOAD_GRACE_MS } from "../../../domain/task-status.ts";

/** A round has at least this number of candidates. All agents take part if there are fewer. Contract: additions, "Final round". */
export const MIN_CANDIDATES = 10;
const BAND_DEVIATIONS = 3;
const MIN_BAND_POINTS = 5;

/**
 * Computes how far below the leader an entry still takes part, in points: three standard deviations of the difference of the two scores.
 * The leader's own deviation would not do: many evaluations make it small, which would shut out those that were judged once.
 *
 * @param widest The largest spread on the leaderboard, used where one is unknown; null where none is known.
 */
export function bandBelowLeader(leader: number | null, entry: number | null, widest: number | null): number {
	const deviation = Math.hypot(leader ?? widest ?? 0, entry ?? widest ?? 0);
	return Math.max(MIN_BAND_POINTS, BAND_DEVIATIONS * deviation);
}

/**
 * Returns the spread to assume where a score shows none, in points: the largest that is known, otherwise a prior one. With one sample
 * for each criterion no score shows any, and a narrow band would shut out equal work. Null without a model, because an image does not
 * vary.
 *
 * @param prior `llmWeight` is the model's share of the score, 0..100; `spread` is the standard deviation of the model's scores in points.
 */
export function assumeSpread(
	widest: number | null,
	{ llmWeight, spread }: { readonly llmWeight: number; readonly spread: number },
): number | null {
	if (widest !== null || llmWeight === 0) return widest;
	return (spread * llmWeight) / 100;
}

/** Selects the entries that may be behind the leader only because of noise. `entries` are best first. */
export function selectCandidates<
	Entry extends {
		readonly finalScore: number;
		/** The score has this standard deviation in points. It is null where nothing shows it. */
		readonly spread: number | null;
	},
>(entries: readonly Entry[], widest: number | null): Entry[] {
	const [leader] = entries;
	if (leader === undefined) return [];
	return entries.filter(({ finalScore, spread }, index) => {
		return index < MIN_CANDIDATES || leader.finalScore - finalScore <= bandBelowLeader(leader.spread, spread, widest);
	});
}

/**
 * Computes from which score on a work may come among the first places that a final round takes in: as far below the last of them as noise
 * can put it. Null if there are not as many entries yet, so that everything is within reach.
 *
 * @param last The score of the entry in the last of these places. Null if there is none.
 * @param spread The standard deviation of a score in points.
 */
export function reachOf(last: number | null, spread: number): number | null {
	return last === null ? null : last - REACH_DEVIATIONS * Math.hypot(spread, spread);
}

/** Fewer deviations are enough here than for a final round, because that comes later and takes in what the cheap model has underrated less. */
const REACH_DEVIATIONS = 2;

/** Contests for these places are judged by further samples. */
const DECIDED_PLACES = 3;
/** A candidate whose place is contested gets this number of further samples for each criterion. */
export const TIE_SAMPLES = 8;
/** Candidates behind this place contest none, unless they share the score of one that does. */
const MAX_CONTESTED = 10;

/**
 * Computes by how much two scores differ at least that are not equal, in points: one level of the heaviest criterion. Candidates that are
 * not further apart contest a place, because the levels of a judge cannot tell them apart.
 *
 * @param share The criteria give this percentage of the final score.
 */
export function resolutionOf(weights: readonly number[], share: number): number {
	// Scores are rounded, so two of them can differ by a hundredth more.
	return (POINTS_PER_LEVEL * Math.max(0, ...weights) * share) / 10_000 + SMALLEST_STEP;
}

/**
 * Finds the candidates that contest the first places: those that have or share one of them, as far as the judge's resolution leaves their
 * order open. `entries` are best first. Each contest has two candidates or more.
 */
export function findContests<Entry extends { readonly finalScore: number }>(entries: readonly Entry[], resolution: number): Entry[][] {
	const last = entries[DECIDED_PLACES - 1]?.finalScore ?? Number.NEGATIVE_INFINITY;
	const least = Math.min(
		last,
		...entries.slice(0, MAX_CONTESTED).map(({ finalScore }) => (last - finalScore <= resolution ? finalScore : last)),
	);
	const contests: Entry[][] = [];
	for (const entry of entries.filter(({ finalScore }) => finalScore >= least)) {
		const [contest, before] = [contests.at(-1), contests.at(-1)?.at(-1)];
		if (contest !== undefined && before !== undefined && before.finalScore - entry.finalScore <= resolution) contest.push(entry);
		else contests.push([entry]);
	}
	return contests.filter(({ length }) => length > 1);
}

/**
 * Computes the final scores of the candidates that contested a place: what all samples and comparisons say, but never past a candidate
 * that is not in the contest, whose score has fewer samples. `entries` are all candidates, best first; the contests are parts of it.
 */
export function boundTieScores<Entry extends { readonly finalScore: number }>(
	entries: readonly Entry[],
	contests: readonly (readonly (Entry & { readonly finalScore: number; readonly tieScore: number })[])[],
): Map<Entry, number> {
	const settled = new Map<Entry, number>();
	for (const contest of contests) {
		const members = new Set<Entry>(contest);
		const from = entries.findIndex((entry) => members.has(entry));
		const above = entries.slice(0, from).map((entry) => settled.get(entry) ?? entry.finalScore);
		const below = entries.slice(from).filter((entry) => !members.has(entry));
		const most = Math.min(100, ...above.map((score) => score - SMALLEST_STEP));
		const least = Math.max(0, ...below.map(({ finalScore }) => finalScore + SMALLEST_STEP));
		for (const member of contest) settled.set(member, roundScore(Math.min(most, Math.max(least, member.tieScore))));
	}
	return settled;
}

/** Scores have two decimals. */
const SMALLEST_STEP = 0.01;

/**
 * Computes the mean of all samples of some evaluations, weighted by criterion, 0..100. Levels are coarse, so medians are often equal
 * where means are not.
 */
export function meanOfSamples(
	evaluations: readonly {
		readonly samples: CheckSamples;
		readonly dimensions: readonly { readonly criterion: string; readonly weight: number }[];
	}[],
): number {
	const [first] = evaluations;
	const means = (first?.dimensions ?? []).map(({ criterion, weight }) => {
		return { score: criterionScore(evaluations.flatMap(({ samples }) => samples[criterion] ?? [])), weight };
	});
	return means.length === 0 ? 0 : weightedScore(means);
}

/**
 * Decides which submission is judged for each candidate: the earliest of those with the same work, which is an equal artifact or the same
 * own contribution. Provisional scores play no part. Contract: ruling "Sharing a judgement".
 *
 * @param findTwins Finds the candidates with the same own contribution as a submission.
 */
export function shareJudgements<
	Candidate extends { readonly submissionId: string; readonly artifactSha256: string | null; readonly handedInAt: number },
>(candidates: readonly Candidate[], findTwins: (submissionId: string) => readonly string[]) {
	const judged = new Map<string, string>();
	const sorted = candidates.toSorted((a, b) => a.handedInAt - b.handedInAt || (a.submissionId < b.submissionId ? -1 : 1));
	const equals = Map.groupBy(sorted, ({ artifactSha256, submissionId }) => artifactSha256 ?? submissionId);
	for (const { submissionId, artifactSha256 } of sorted) {
		if (judged.has(submissionId)) continue;
		const equal = (equals.get(artifactSha256 ?? submissionId) ?? []).map((candidate) => candidate.submissionId);
		for (const id of [submissionId, ...equal, ...findTwins(submissionId)]) if (!judged.has(id)) judged.set(id, submissionId);
	}
	return candidates.map((candidate) => ({ ...candidate, judgedId: judged.get(candidate.submissionId) ?? candidate.submissionId }));
}

/** A registered submission can no longer be completed. */
function areUploadsOver({ closedBy, deadline }: Pick<TaskRow, "closedBy" | "deadline">, now: number): boolean {
	return closedBy === "owner" || isOver({ deadline: deadline + UPLOAD_GRACE_MS }, now);
}

/**
 * A round can begin when everything that can still get a provisional score has it.
 *
 * @param round With the facts whether a submission is being evaluated, and whether one is registered and not completed.
 */
export function canBegin(
	round: Pick<TaskRow, "closedBy" | "deadline"> & { readonly hasRunning: boolean; readonly hasRegistered: boolean },
	now: number,
): boolean {
	return !round.hasRunning && (!round.hasRegistered || areUploadsOver(round, now));
}

/** @throws AppError `CONFLICT`, `TASK_NOT_OPEN` or `TASK_CLOSED`, in this order. */
export function assertPickable(task: Pick<TaskRow, "status" | "deadline" | "finalRound">, now: number): void {
	if (!task.finalRound) throw new AppError("CONFLICT", { message: "The task has no final round. The best score of each agent counts." });
	if (task.status === "draft") throw new AppError("TASK_NOT_OPEN", { message: "The task is a draft." });
	if (task.status !== "open" || isOver(task, now)) {
		throw new AppError("TASK_CLOSED", { message: "Picks were accepted until the task's end." });
	}
}
