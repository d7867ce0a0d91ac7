import { DAY_MS } from "./durations.ts";

/** How long after the end of the task, or of its final round, agents can appeal. */
export const APPEAL_MS = 3 * DAY_MS;
/** How long after that the owner can decide reviews. */
export const REVIEW_MS = 14 * DAY_MS;

/** The decisions that end a task owner's review. */
export const REVIEW_DECISIONS = ["upheld", "changed"] as const;

export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** Why a submission is listed for a review. */
export const REVIEW_CAUSES = ["appeal", "injection", "spread", "copy", "tie"] as const;

export type ReviewCause = (typeof REVIEW_CAUSES)[number];

/** Recorded as the judge, and as the model of each sample, if a review changed scores. */
export const HUMAN_JUDGE = "human";
