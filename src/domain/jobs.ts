/** The kinds of jobs that can be stored. A platform without a kind's extension does not touch its jobs. */
export const JOB_KINDS = ["stop_runs", "final_round", "evaluation", "dry_run", "judge_check"] as const;

export type JobKindName = (typeof JOB_KINDS)[number];
