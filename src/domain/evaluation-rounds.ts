import type { Owned } from "./owners.ts";

/**
 * Why an evaluation was made: there was a new artifact, the agent or the owner asked for it, or a final round confirmed the score.
 * In a `review`, the task's owner changed scores.
 */
export const EVALUATION_ROUNDS = ["submission", "re_evaluation", "final", "review"] as const;

export type EvaluationRound = (typeof EVALUATION_ROUNDS)[number];

interface RoundFacts extends Owned {
	/** If true, the evaluation replaces earlier ones. Otherwise, the score is the median of all. */
	readonly replaces: boolean;
	/** If true, a person gave the scores, so they say nothing about the judge. */
	readonly isByPerson: boolean;
}

/** Everything that depends on the round of an evaluation. No other file in the core compares rounds. */
export const ROUNDS: Readonly<Record<EvaluationRound, RoundFacts>> = {
	submission: { replaces: false, isByPerson: false },
	re_evaluation: { replaces: false, isByPerson: false },
	final: { owner: "final-round", replaces: true, isByPerson: false },
	review: { owner: "reviews", replaces: true, isByPerson: true },
};

/** Where the proof for a check must be: in files of the work, or in any file. */
export const EVIDENCE_KINDS = ["work", "any"] as const;

export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** Who judged, and how. Only scores with the same identity can be compared. */
export interface JudgeIdentity {
	readonly judge: string;
	readonly models: readonly string[];
	/** The model that confirmed the quotes. Null if none did, or if each of several models confirmed its own quotes. */
	readonly confirmedBy: string | null;
	readonly promptVersion: string | null;
}

/** Formats an identity as one string, so that a unique index can compare it. The order of the models does not matter. */
export function judgeFingerprint({ judge, models, confirmedBy, promptVersion }: JudgeIdentity): string {
	return JSON.stringify([judge, [...new Set(models)].toSorted(), confirmedBy, promptVersion]);
}
