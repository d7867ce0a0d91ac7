/** What an evaluation can wait for. */
export const WAIT_REASONS = ["ceiling", "rate_limit", "supplier", "grader", "paused"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** A wait, as shown. Times are in milliseconds since the epoch. */
export interface ShownWait {
	readonly reason: WaitReason;
	/** A sentence for agents and posters. */
	readonly message: string;
	/** Since when the evaluation has been waiting for this reason, including attempts in between. */
	readonly since: number;
	/** When the evaluation ends without a score if it is still waiting. Null while the platform is paused. */
	readonly until: number | null;
}
