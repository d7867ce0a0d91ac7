import { countedEvaluations } from "../../core/competition/evaluation/rules.ts";
import type { EvaluationRound } from "../../domain/evaluation-rounds.ts";
import { median } from "../../domain/scores.ts";

/** Times are in milliseconds since the epoch. */
export interface PastEvaluation {
	readonly submissionId: string;
	/** The evaluations of a submission are numbered from 1. */
	readonly iteration: number;
	readonly round: EvaluationRound;
	readonly finalScore: number;
	readonly comparisonGroup: number;
	readonly rubricVersion: number;
	readonly createdAt: number;
}

/** A score, and the time from which the agent ranked with it. */
export interface ScorePoint {
	readonly at: number;
	/** Null while none of the agent's submissions counted. */
	readonly score: number | null;
	/**
	 * The round of the evaluation that changed the score. Null if the change had another cause: a submission was voided, or another one
	 * began to count.
	 */
	readonly round: EvaluationRound | null;
}

interface AgentsPast {
	readonly evaluations: readonly PastEvaluation[];
	/** Submissions that operators took out of the competition. */
	readonly voids: readonly { readonly submissionId: string; readonly at: number }[];
	/** The submission that the agent has ranked with since a final round that could not judge it ended. Null if there is none. */
	readonly standing: { readonly submissionId: string; readonly at: number } | null;
}

/**
 * Finds the scores with which an agent has ranked over time, from its evaluations. Each evaluation counts only from its own time on, so a
 * later evaluation never changes an earlier point. A final round decides which submission the agent ranks with from then on.
 *
 * @returns Oldest first. An evaluation of a final round is always a point; other evaluations only if they changed the score.
 */
export function scoresOverTime({ evaluations, voids, standing }: AgentsPast): ScorePoint[] {
	const works = followWorks();
	const changes = [
		...evaluations.map((evaluation) => {
			return { at: evaluation.createdAt, round: evaluation.round, apply: () => works.judge(evaluation) };
		}),
		...voids.map(({ at, submissionId }) => ({ at, round: null, apply: () => works.void(submissionId) })),
		...(standing === null ? [] : [{ at: standing.at, round: null, apply: () => works.stand(standing.submissionId) }]),
	].toSorted((a, b) => a.at - b.at);
	const points: ScorePoint[] = [];
	for (const { at, round, apply } of changes) {
		apply();
		const score = works.score();
		if (round === "final" || score !== (points.at(-1)?.score ?? null)) points.push({ at, score, round });
	}
	return points;
}

/** Tracks which submission an agent ranks with, and its score. */
function followWorks() {
	const judged = new Map<string, readonly PastEvaluation[]>();
	const scores = new Map<string, number>();
	const voided = new Set<string>();
	let stands: string | null = null;
	return {
		judge(evaluation: PastEvaluation) {
			const { submissionId, round } = evaluation;
			const all = [...(judged.get(submissionId) ?? []), evaluation].toSorted((a, b) => a.iteration - b.iteration);
			judged.set(submissionId, all);
			if (voided.has(submissionId)) return;
			scores.set(submissionId, scoreOf(all));
			if (round === "final") stands = submissionId;
		},
		void(submissionId: string) {
			voided.add(submissionId);
			scores.delete(submissionId);
			if (stands === submissionId) stands = null;
		},
		stand(submissionId: string) {
			stands = submissionId;
		},
		score(): number | null {
			return stands === null ? bestOf(scores) : (scores.get(stands) ?? null);
		},
	};
}

/** A submission's score is the median of the evaluations that count for it. */
function scoreOf(evaluations: readonly PastEvaluation[]): number {
	return median(countedEvaluations(evaluations).map(({ finalScore }) => finalScore)) ?? 0;
}

function bestOf(scores: ReadonlyMap<string, number>): number | null {
	return scores.size === 0 ? null : Math.max(...scores.values());
}
