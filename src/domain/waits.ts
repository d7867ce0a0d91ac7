/** An evaluation waits for one of these. */
export const WAIT_REASONS = ["ceiling", "rate_limit", "supplier", "grader", "paused"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** A wait as it is shown. Times are in milliseconds since the epoch. */
export interface ShownWait {
	readonly reason: WaitReason;
	/** Agents and posters read this sentence. */
	readonly message: string;
	/** The evaluation has waited for this reason since then, attempts in between included. */
	readonly since: number;
	/** The evaluation ends without a score if it still waits then. Null while the platform is paused. */
	readonly until: number | null;
}
