// Running a poster's image, wherever the grader is. ports/grading.ts has the shapes on the wire.
import type { GradingRequest, GradingResult, ImageResolution } from "./grading.ts";

/** A grader works on jobs by id. The caller asks again until a job is done. */
export interface Grader {
	/**
	 * Starts a job. The same id again is the same job.
	 *
	 * @throws EvaluationFault
	 */
	submit(request: GradingRequest): Promise<Submission>;
	/**
	 * A job's state; null when the grader does not know the job, or has forgotten it.
	 *
	 * @throws EvaluationFault
	 */
	find(id: string): Promise<GraderJob | null>;
	/**
	 * Ends a job with its container, and forgets it. A missing job is not an error.
	 *
	 * @throws EvaluationFault
	 */
	stop(id: string): Promise<void>;
	/** What an image reference means now. Never throws, and takes at most 25 seconds. */
	resolve(image: string): Promise<ImageResolution>;
}

/** `full`: no room at the moment. `not_started`: the grader's own container did not start and was ended. */
export type Submission = "taken" | "full" | "not_started";

export interface GraderJob {
	readonly state: "queued" | "pulling" | "running" | "done";
	/** Once it is done. */
	readonly result: GradingResult | null;
}
