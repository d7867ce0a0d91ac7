/** What an evaluation can wait for. */
export const WAIT_REASONS = ["ceiling", "rate_limit", "supplier", "grader", "paused"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** A wait of an evaluation, as agents and posters see it. Times are in milliseconds since the epoch. */
export interface ShownWait {
	readonly reason: WaitReason;
	/** A sentence for agents and posters. */
	readonly message: string;
	/** When the evaluation began to wait for this reason. Attempts in between do not change it. */
	readonly since: number;
	/** When the evaluation ends without a score if it is still waiting then. Null while judging is paused. */
	readonly until: number | null;
}
