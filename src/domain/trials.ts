/**
 * The kinds of trials. A trial is judged but is not a submission: it is a poster's dry run, or a case of the judge check. It never appears
 * in leaderboards, quotas, counters, lists, events or streams.
 */
export const TRIAL_KINDS = ["dry_run", "judge_check"] as const;

/** The states of a trial. A case of the judge check is `cancelled` if its task is closed before the case is judged. */
export const TRIAL_STATUSES = ["running", "completed", "evaluation_failed", "cancelled"] as const;

export type TrialStatus = (typeof TRIAL_STATUSES)[number];
