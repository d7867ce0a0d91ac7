import type { Owned } from "./owners.ts";

/**
 * An evaluation was made for a new artifact, because its agent or its owner asked again, or to confirm a score after the task's end. In a
 * `review`, the task's owner has changed scores.
 */
export const EVALUATION_ROUNDS = ["submission", "re_evaluation", "final", "review"] as const;

export type EvaluationRound = (typeof EVALUATION_ROUNDS)[number];

interface RoundFacts extends Owned {
	/** If true, the evaluation replaces earlier ones. Otherwise the score is the median of all of them. */
	readonly replaces: boolean;
	/** If true, a person has given the scores, so they say nothing about the judge. */
	readonly isByPerson: boolean;
}

/** This table says everything that depends on the round of an evaluation. No file of the core compares rounds. */
export const ROUNDS: Readonly<Record<EvaluationRound, RoundFacts>> = {
	submission: { replaces: false, isByPerson: false },
	re_evaluation: { replaces: false, isByPerson: false },
	final: { owner: "final-round", replaces: true, isByPerson: false },
	review: { owner: "reviews", replaces: true, isByPerson: true },
};

/** A check of a criterion needs proof in files of the work, or in any file. */
export const EVIDENCE_KINDS = ["work", "any"] as const;

export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** A judge's identity says who judged, and how. Only scores of the same identity can be compared. */
export interface JudgeIdentity {
	readonly judge: string;
	readonly models: readonly string[];
	/** This model confirmed the quotes. Null if none did, or if each of several models confirmed its own. */
	readonly confirmedBy: string | null;
	readonly promptVersion: string | null;
}

/** Writes an identity as one text, so that a unique index can compare it. The models count as a set. */
export function judgeFingerprint({ judge, models, confirmedBy, promptVersion }: JudgeIdentity): string {
	return JSON.stringify([judge, [...new Set(models)].toSorted(), confirmedBy, promptVersion]);
}
