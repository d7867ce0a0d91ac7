// How an evaluation can fail. A file of its own because every mode and every judge throws these.

/**
 * An evaluation that came to no score.
 * `platform`: judge or grader unreachable, timed out, broken or not configured; retried, and the slot is given back at the end.
 * `submission`: what was submitted, or the poster's own image, is to blame; the slot stays used.
 */
export class EvaluationFault extends Error {
	override readonly name = "EvaluationFault";
	readonly blame: "platform" | "submission";
	/** Whether another attempt may succeed. */
	readonly isRetryable: boolean;
	/** What the other side asked for, in seconds. */
	readonly retryAfterSeconds: number | null;
	/** What the mode wants to find as `job.progress` at the next attempt; undefined leaves it as it is. */
	readonly progress: unknown;

	constructor(
		message: string,
		facts: { blame: "platform" | "submission"; isRetryable: boolean; retryAfterSeconds?: number; progress?: unknown; cause?: unknown },
	) {
		super(message, { cause: facts.cause });
		this.blame = facts.blame;
		this.isRetryable = facts.isRetryable;
		this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
		this.progress = facts.progress;
	}
}
