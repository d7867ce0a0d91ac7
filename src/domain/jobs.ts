/** The kinds of jobs that can be stored. If the extension of a kind is absent, stored jobs of the kind stay as they are. */
export const JOB_KINDS = ["stop_runs", "final_round", "evaluation", "dry_run", "judge_check"] as const;

export type JobKindName = (typeof JOB_KINDS)[number];
