import * as z from "zod";

/** These things can be wrong with a task although it was accepted. Contract: additions, "The poster's loop". */
export const TASK_WARNING_CODES = [
	"TAKEN_DOWN",
	"NO_GRADER",
	"IMAGE_UNRESOLVED",
	"IMAGE_ERROR",
	"JUDGE_CHECK_FAILED",
	"RUBRIC_LINT",
	"NO_ROOM",
] as const;

export type TaskWarningCode = (typeof TASK_WARNING_CODES)[number];

/** These warnings are stored with the task. The others follow from its state. */
export const STORED_TASK_WARNINGS = ["IMAGE_ERROR", "JUDGE_CHECK_FAILED", "NO_ROOM"] as const satisfies TaskWarningCode[];

export type StoredTaskWarning = (typeof STORED_TASK_WARNINGS)[number];

export interface TaskWarning {
	readonly code: TaskWarningCode;
	/** The message tells the owner what is wrong, and what to do about it. */
	readonly message: string;
}

export const taskWarningCode = z
	.enum(TASK_WARNING_CODES)
	.describe(
		"`TAKEN_DOWN`: an operator of the platform has hidden the task. `NO_GRADER`: this deployment cannot run images. `IMAGE_UNRESOLVED`: the image has no digest yet. `IMAGE_ERROR`: the image could not be started. `JUDGE_CHECK_FAILED`: a submission without real work got points. `RUBRIC_LINT`: the lint of the rubric has errors or warnings. `NO_ROOM`: what judging the task may cost has no room for one more evaluation.",
	);
