/**
 * A trial is judged without being a submission: it is a poster's dry run, or one case of the judge check. It never reaches leaderboards,
 * quotas, counters, lists, events or streams.
 */
export const TRIAL_KINDS = ["dry_run", "judge_check"] as const;

/** A case of the judge check is `cancelled` if its task was closed before it was judged. */
export const TRIAL_STATUSES = ["running", "completed", "evaluation_failed", "cancelled"] as const;

export type TrialStatus = (typeof TRIAL_STATUSES)[number];
