// What running a poster's image takes, the same wherever the grader is. The shapes on the wire are the grader's own.
import type { GradingRequest, GradingResult } from "./grading.ts";

/** A grader works on jobs by their ids; whoever asks looks again until one is done. */
export interface Grader {
	/**
	 * Starts a job. The same id again is the same job. False when the grader has no room for it now.
	 *
	 * @throws EvaluationFault
	 */
	submit(request: GradingRequest): Promise<boolean>;
	/**
	 * How a job stands; null for one that the grader does not know, or has forgotten.
	 *
	 * @throws EvaluationFault
	 */
	find(id: string): Promise<GraderJob | null>;
	/**
	 * Ends a job, its container with it, and forgets it. One that is not there is no fault.
	 *
	 * @throws EvaluationFault
	 */
	stop(id: string): Promise<void>;
}

export interface GraderJob {
	readonly state: "queued" | "pulling" | "running" | "done";
	/** Once it is done. */
	readonly result: GradingResult | null;
}
