/**
 * A final round is `waiting` until all evaluations in progress have ended. Then its cost is estimated and reserved, its candidates are
 * judged, and their receipts are signed.
 */
export const ROUND_STATUSES = ["waiting", "reserving", "judging", "signing", "ended"] as const;

/**
 * A candidate in a final round gets the round's samples (`judging`, then `judged`), and additional ones if it is near the top (`sampling`,
 * then `sampled`). When the round ends, the candidate's score is `confirmed`. If a candidate `failed`, its provisional score stays.
 */
export const CANDIDATE_STATES = ["judging", "judged", "sampling", "sampled", "confirmed", "failed"] as const;

export type CandidateState = (typeof CANDIDATE_STATES)[number];

/** Candidates of an ended final round rank in these tiers, above everyone else. */
export const CONFIRMED_TIER = 0;
export const FAILED_TIER = 1;
