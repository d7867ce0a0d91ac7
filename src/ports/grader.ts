// A grader runs posters' images, wherever it is. ports/grading.ts has the shapes on the wire.
import type { GraderTest, GradingRequest, GradingResult, ImageResolution } from "./grading.ts";

/** A grader works on jobs by id. The caller asks again until a job is done. */
export interface Grader {
	/**
	 * Starts a job. A second call with the same id starts no other job.
	 *
	 * @throws EvaluationFault
	 */
	submit(request: GradingRequest): Promise<Submission>;
	/**
	 * Returns a job's state, or null if the grader does not know the job or has forgotten it.
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
	/** Finds out what an image reference means now. It never throws, and takes at most 25 seconds. */
	resolve(image: string): Promise<ImageResolution>;
	/** Has the grader pull an image and run it once. It never throws, and takes at most 200 seconds. */
	test(image: string): Promise<GraderTest>;
}

/** `full` means that there is no room at the moment; `not_started`, that the grader's own container did not start and was ended. */
export type Submission = "taken" | "full" | "not_started";

export interface GraderJob {
	readonly state: "queued" | "pulling" | "running" | "done";
	/** A job that is done has a result. */
	readonly result: GradingResult | null;
}
