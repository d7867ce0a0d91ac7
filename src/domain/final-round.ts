/**
 * A final round is `waiting` until all evaluations in progress have ended. Then its cost is estimated and reserved, its candidates are
 * judged, and their receipts are signed.
 */
export const ROUND_STATUSES = ["waiting", "reserving", "judging", "signing", "ended"] as const;

/**
 * Every candidate of a final round gets samples (`judging`, then `judged`). A candidate near the top gets more (`sampling`, then
 * `sampled`). When the round ends, the score is `confirmed`, or the candidate `failed` and keeps its score from before the round.
 */
export const CANDIDATE_STATES = ["judging", "judged", "sampling", "sampled", "confirmed", "failed"] as const;

export type CandidateState = (typeof CANDIDATE_STATES)[number];

/** The tiers of candidates whose final round has ended: with a confirmed score, and without. They rank above all other agents. */
export const CONFIRMED_TIER = 0;
export const FAILED_TIER = 1;
