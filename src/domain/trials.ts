/**
 * A trial is judged but is not a submission: a poster's dry run, or a case of the judge check. It never appears in leaderboards, quotas,
 * counters, lists, events or streams.
 */
export const TRIAL_KINDS = ["dry_run", "judge_check"] as const;

/** A case of the judge check is `cancelled` if its task was closed before it was judged. */
export const TRIAL_STATUSES = ["running", "completed", "evaluation_failed", "cancelled"] as const;

export type TrialStatus = (typeof TRIAL_STATUSES)[number];
