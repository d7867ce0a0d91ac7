import { DAY_MS } from "./durations.ts";

/** For how long agents can appeal after the end of the task, or of its final round. */
export const APPEAL_MS = 3 * DAY_MS;
/** For how long the owner can decide reviews, counted from the same moment as {@link APPEAL_MS}. */
export const REVIEW_MS = 14 * DAY_MS;

/** The decisions that end a task owner's review. */
export const REVIEW_DECISIONS = ["upheld", "changed"] as const;

export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** Why a submission is listed for a review. */
export const REVIEW_CAUSES = ["appeal", "injection", "spread", "copy", "tie"] as const;

export type ReviewCause = (typeof REVIEW_CAUSES)[number];

/** The name that an evaluation records as its judge, and as the model of each sample, if the owner changed scores in a review. */
export const HUMAN_JUDGE = "human";
