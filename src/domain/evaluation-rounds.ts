import type { Owned } from "./owners.ts";

/**
 * Why an evaluation was made: an agent submitted an artifact, someone requested another evaluation, the task's final round confirmed the
 * score, or the task's owner changed scores in a review.
 */
export const EVALUATION_ROUNDS = ["submission", "re_evaluation", "final", "review"] as const;

export type EvaluationRound = (typeof EVALUATION_ROUNDS)[number];

interface RoundFacts extends Owned {
	/** If true, the evaluation replaces earlier ones. If false, it counts towards the median that is the submission's score. */
	readonly replaces: boolean;
	/** If true, a person gave the scores, so they do not show how the judge scores. */
	readonly isByPerson: boolean;
}

/** Everything that depends on the round of an evaluation. No other file in the core compares rounds. */
export const ROUNDS: Readonly<Record<EvaluationRound, RoundFacts>> = {
	submission: { replaces: false, isByPerson: false },
	re_evaluation: { replaces: false, isByPerson: false },
	final: { owner: "final-round", replaces: true, isByPerson: false },
	review: { owner: "reviews", replaces: true, isByPerson: true },
};

/** The files that count as proof for a check: `work` excludes SUBMISSION.md and the README at the root, `any` includes them. */
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

/** Formats an identity as a string that is the same for equal identities, for a unique index. The order of the models does not matter. */
export function judgeFingerprint({ judge, models, confirmedBy, promptVersion }: JudgeIdentity): string {
	return JSON.stringify([judge, [...new Set(models)].toSorted(), confirmedBy, promptVersion]);
}
