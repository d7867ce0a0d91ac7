import type { tasks } from "../../../db/task/schema/task.ts";
import { isOver, UPLOAD_GRACE_MS } from "../../../domain/deadline.ts";
import { AppError } from "../../../domain/errors.ts";
import type { SampleRecords } from "../../../domain/evaluation-rounds.ts";
import { weightedScore } from "../../../domain/scores.ts";

type Task = typeof tasks.$inferSelect;

/** A round has at least this number of candidates. All agents take part if there are fewer. Contract: additions, "Final round". */
export const MIN_CANDIDATES = 10;
const BAND_DEVIATIONS = 3;
const MIN_BAND_POINTS = 5;

interface BoardEntry {
	readonly finalScore: number;
	/** The standard deviation of the score in points; null where nothing shows it. */
	readonly spread: number | null;
}

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
 * The spread to assume where a score shows none, in points: the largest that is known, otherwise a prior one. With one sample for each
 * criterion no score shows any, and a narrow band would shut out equal work. Null without a model, because an image does not vary.
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
export function selectCandidates<Entry extends BoardEntry>(entries: readonly Entry[], widest: number | null): Entry[] {
	const [leader] = entries;
	if (leader === undefined) return [];
	return entries.filter(({ finalScore, spread }, index) => {
		return index < MIN_CANDIDATES || leader.finalScore - finalScore <= bandBelowLeader(leader.spread, spread, widest);
	});
}

/** Ties for these places are judged by further samples. */
const DECIDED_PLACES = 3;
/** A tied candidate gets this number of further samples for each criterion. */
export const TIE_SAMPLES = 8;

/** Finds the entries that share their score with another one and one of the first places. `entries` are best first. */
export function findTied<Entry extends { readonly finalScore: number }>(entries: readonly Entry[]): Entry[] {
	const contested = new Set(entries.slice(0, DECIDED_PLACES).map(({ finalScore }) => finalScore));
	const groups = Map.groupBy(entries, ({ finalScore }) => finalScore);
	return [...groups].flatMap(([score, group]) => (contested.has(score) && group.length > 1 ? group : []));
}

interface SampledEvaluation {
	readonly samples: SampleRecords;
	readonly dimensions: readonly { readonly criterion: string; readonly weight: number }[];
}

/**
 * The mean of all samples of some evaluations, weighted by criterion, 0..100. Levels are coarse, so medians are often equal where means
 * are not.
 */
export function meanOfSamples(evaluations: readonly SampledEvaluation[]): number {
	const [first] = evaluations;
	const means = (first?.dimensions ?? []).map(({ criterion, weight }) => {
		const scores = evaluations.flatMap(({ samples }) => samples[criterion] ?? []).map(({ score }) => score);
		return { score: scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length), weight };
	});
	return means.length === 0 ? 0 : weightedScore(means);
}

interface Work {
	readonly submissionId: string;
	/** Null for an artifact without a hash. */
	readonly artifactSha256: string | null;
	/** Milliseconds since the epoch. */
	readonly handedInAt: number;
}

/**
 * Decides which submission is judged for each candidate: the earliest of those with the same work, which is an equal artifact or the same
 * own contribution. Provisional scores play no part. Contract: ruling "Sharing a judgement".
 *
 * @param findTwins Finds the candidates with the same own contribution as a submission.
 */
export function shareJudgements<Candidate extends Work>(
	candidates: readonly Candidate[],
	findTwins: (submissionId: string) => readonly string[],
) {
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
function areUploadsOver({ closedBy, deadline }: Pick<Task, "closedBy" | "deadline">, now: number): boolean {
	return closedBy === "owner" || isOver({ deadline: deadline + UPLOAD_GRACE_MS }, now);
}

/**
 * A round can begin when everything that can still get a provisional score has it.
 *
 * @param round With the facts whether a submission is being evaluated, and whether one is registered and not completed.
 */
export function canBegin(
	round: Pick<Task, "closedBy" | "deadline"> & { readonly hasRunning: boolean; readonly hasRegistered: boolean },
	now: number,
): boolean {
	return !round.hasRunning && (!round.hasRegistered || areUploadsOver(round, now));
}

/** @throws AppError `CONFLICT`, `TASK_NOT_OPEN` or `TASK_CLOSED`, in this order. */
export function assertPickable(task: Pick<Task, "status" | "deadline" | "finalRound">, now: number): void {
	if (!task.finalRound) throw new AppError("CONFLICT", { message: "The task has no final round. The best score of each agent counts." });
	if (task.status === "draft") throw new AppError("TASK_NOT_OPEN", { message: "The task is a draft." });
	if (task.status !== "open" || isOver(task, now)) {
		throw new AppError("TASK_CLOSED", { message: "Picks were accepted until the task's end." });
	}
}
