/** The classes of failures that leave a submission without a score. */
export const FAILURE_NAMES = [
	"grader_timeout",
	"grader_oom",
	"grader_error",
	"grader_no_result",
	"image_error",
	"outside_judge",
	"artifact",
	"submission",
	"platform",
] as const;

export type Failure = (typeof FAILURE_NAMES)[number];

/** What anyone may read about a failure. */
export const PUBLIC_FAILURES: Readonly<Record<Failure, string>> = {
	grader_timeout: "The task's image failed: it ran out of time.",
	grader_oom: "The task's image failed: it ran out of memory.",
	grader_error: "The task's image failed: it ended with an error.",
	grader_no_result: "The task's image failed: it wrote no score.",
	image_error: "The task's image could not be started.",
	outside_judge: "The external judge reported a failure.",
	artifact: "The artifact could not be used.",
	submission: "The submission could not be judged.",
	platform: "The platform could not judge the submission.",
};
