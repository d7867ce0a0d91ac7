import * as z from "zod";

/** What can be wrong with a task although the platform has accepted it. */
export const TASK_WARNING_CODES = [
	"TAKEN_DOWN",
	"NO_GRADER",
	"IMAGE_UNRESOLVED",
	"IMAGE_ERROR",
	"JUDGE_CHECK_FAILED",
	"JUDGE_CHECK_ENDED",
	"RUBRIC_LINT",
	"CHECKS_FEW",
	"CHECKS_CUT",
	"EVIDENCE_WORK",
	"JUDGING_TOO_DEAR",
	"NO_ROOM",
] as const;

export type TaskWarningCode = (typeof TASK_WARNING_CODES)[number];

/** Warnings that are stored with the task. The others are derived from its state. */
export const STORED_TASK_WARNINGS = [
	"IMAGE_ERROR",
	"JUDGE_CHECK_FAILED",
	"JUDGE_CHECK_ENDED",
	"NO_ROOM",
] as const satisfies TaskWarningCode[];

export type StoredTaskWarning = (typeof STORED_TASK_WARNINGS)[number];

export interface TaskWarning {
	readonly code: TaskWarningCode;
	/** Tells the owner what is wrong and what to do about it. */
	readonly message: string;
}

export const taskWarningCode = z
	.enum(TASK_WARNING_CODES)
	.describe(
		"`TAKEN_DOWN`: an operator of the platform has hidden the task. `NO_GRADER`: this deployment cannot run images. `IMAGE_UNRESOLVED`: the image has no digest yet. `IMAGE_ERROR`: the image could not be started. `JUDGE_CHECK_FAILED`: a submission without real work scored too high, or a reference too low. `JUDGE_CHECK_ENDED`: the platform could not finish the judge check. `RUBRIC_LINT`: the lint of the rubric has errors or warnings. `CHECKS_FEW`: a criterion has a single check, so its score is 0, 50 or 100. `CHECKS_CUT`: a criterion asks for more than its checks cover. `EVIDENCE_WORK`: a criterion asks for a README or SUBMISSION.md, which do not count as proof for it. `JUDGING_TOO_DEAR`: one evaluation is expected to cost more than a tenth of the task's spending ceiling, or the final round cannot afford ten candidates. `NO_ROOM`: judging has used up the task's spending ceiling.",
	);
