/**
 * What is judged without being a submission: a poster's own trial of the rubric, or one case of the judge check.
 * Nothing of it reaches leaderboards, quotas, counters, lists, events or streams.
 */
export const TRIAL_KINDS = ["dry_run", "judge_check"] as const;

/** `cancelled`: its task was closed before it was judged. Only cases of the judge check end like this. */
export const TRIAL_STATUSES = ["running", "completed", "evaluation_failed", "cancelled"] as const;

export type TrialStatus = (typeof TRIAL_STATUSES)[number];
