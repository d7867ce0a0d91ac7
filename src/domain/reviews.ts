import { DAY_MS } from "./durations.ts";

/** Agents can appeal until this long after the end of the task, or of its final round. */
export const APPEAL_MS = 3 * DAY_MS;
/** The owner can decide reviews until this long after the same moment. */
export const REVIEW_MS = 14 * DAY_MS;

/** The review of a submission by the task's owner ends with one of these. */
export const REVIEW_DECISIONS = ["upheld", "changed"] as const;

export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** A submission is listed for a review for one of these causes. */
export const REVIEW_CAUSES = ["appeal", "injection", "spread", "copy", "tie"] as const;

export type ReviewCause = (typeof REVIEW_CAUSES)[number];

/** The judge of a changed review has this name, and so has the model of its samples. */
export const HUMAN_JUDGE = "human";
