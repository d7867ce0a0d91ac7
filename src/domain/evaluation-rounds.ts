/**
 * An evaluation was made for a new artifact, because its agent or its owner asked again, or to confirm a score after the task's end. In a
 * `review`, the task's owner has changed scores.
 */
export const EVALUATION_ROUNDS = ["submission", "re_evaluation", "final", "review"] as const;

export type EvaluationRound = (typeof EVALUATION_ROUNDS)[number];

/** The review of a submission by the task's owner ends with one of these. */
export const REVIEW_DECISIONS = ["upheld", "changed"] as const;

export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** A submission is listed for a review for one of these causes. */
export const REVIEW_CAUSES = ["appeal", "injection", "spread", "copy", "tie"] as const;

export type ReviewCause = (typeof REVIEW_CAUSES)[number];

/** The judge of a changed review has this name, and so has the model of its samples. */
export const HUMAN_JUDGE = "human";

/** A final round is `waiting` until everything that is still being judged has ended. */
export const ROUND_STATUSES = ["waiting", "judging", "ended"] as const;

export type RoundStatus = (typeof ROUND_STATUSES)[number];

/** The final round of a candidate ends like this: its score is confirmed, or its judging failed and the provisional score stays. */
export const CANDIDATE_OUTCOMES = ["confirmed", "failed"] as const;

/**
 * A candidate whose place among the first ones is contested gets further samples once (`open`, then `sampled`), and is compared with those
 * that still tie with it (`comparing`, then `closed`).
 */
export const TIE_STATUSES = ["open", "sampled", "comparing", "closed"] as const;

/** Returns true if a final round is still to come or running, so that the leaderboard's order is provisional. */
export function isProvisional({
	finalRound,
	roundStatus,
}: {
	readonly finalRound: boolean;
	/** The status is null before the task's end. */
	readonly roundStatus: RoundStatus | null;
}): boolean {
	return finalRound && roundStatus !== "ended";
}

/** A check of a criterion needs proof in files of the work, or in any file. */
export const EVIDENCE_KINDS = ["work", "any"] as const;

export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** A judge's identity says who judged, and how. Only scores of the same identity can be compared. */
export interface JudgeIdentity {
	readonly judge: string;
	readonly models: readonly string[];
	readonly confirmedBy: string | null;
	readonly promptVersion: string | null;
}

/** Writes an identity as one text, so that a unique index can compare it. */
export function judgeFingerprint({ judge, models, confirmedBy, promptVersion }: JudgeIdentity): string {
	return JSON.stringify([judge, models, confirmedBy, promptVersion]);
}
