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

/**
 * A final round is `waiting` until everything that is still being judged has ended. Then its cost is estimated and reserved, its candidates are
 * judged, and their receipts are signed.
 */
export const ROUND_STATUSES = ["waiting", "reserving", "judging", "signing", "ended"] as const;

export type RoundStatus = (typeof ROUND_STATUSES)[number];

/**
 * A candidate of a final round gets the round's samples (`judging`, then `judged`), and near the first places further ones (`sampling`, then
 * `sampled`). When the round ends, its score is `confirmed`. If it `failed`, the provisional score stays.
 */
export const CANDIDATE_STATES = ["judging", "judged", "sampling", "sampled", "confirmed", "failed"] as const;

export type CandidateState = (typeof CANDIDATE_STATES)[number];

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

/** Writes an identity as one text, so that a unique index can compare it. The models count as a set. */
export function judgeFingerprint({ judge, models, confirmedBy, promptVersion }: JudgeIdentity): string {
	return JSON.stringify([judge, [...new Set(models)].toSorted(), confirmedBy, promptVersion]);
}
