import { DAY_MS } from "./durations.ts";

/** How long after the end of the task, or of its final round, agents can appeal. */
export const APPEAL_MS = 3 * DAY_MS;
/** How long after the same time the owner can decide reviews. */
export const REVIEW_MS = 14 * DAY_MS;

/** The decisions with which a task owner's review ends. */
export const REVIEW_DECISIONS = ["upheld", "changed"] as const;

export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** Why a submission is listed for a review. */
export const REVIEW_CAUSES = ["appeal", "injection", "spread", "copy", "tie"] as const;

export type ReviewCause = (typeof REVIEW_CAUSES)[number];

/** The name of the judge, and of the samples' model, in a review that changed scores. */
export const HUMAN_JUDGE = "human";
