import { assertRubric } from "../../core/competition/tasks/rules.ts";
import type { TaskRow } from "../../db/task/schema/task.ts";
import { AppError, invalidInput } from "../../domain/errors.ts";
import { MODES } from "../../domain/modes.ts";
import { roundScore } from "../../domain/scores.ts";
import { DAY_MS } from "../../platform/clock.ts";

/** The maximum number of dry runs per task in any 24 hours. */
export const MAX_DRY_RUNS = 20;
export const DRY_RUN_WINDOW_MS = DAY_MS;

/** @throws AppError `TASK_CLOSED`, `WRONG_EVAL_MODE`, `INVALID_WEIGHTS`, `BAD_REQUEST`, in this order. */
export function assertCanDryRun(
	task: Pick<TaskRow, "status" | "hidden" | "evalMode" | "evalImage">,
	criteria: readonly { readonly weight: number }[],
): void {
	if (task.status === "closed") throw new AppError("TASK_CLOSED", { message: "The task is closed, so you can no longer test its judge." });
	if (task.hidden) throw new AppError("TASK_CLOSED", { message: "An operator of this platform has taken the task down." });
	if (MODES[task.evalMode].isExternal) {
		throw new AppError("WRONG_EVAL_MODE", { message: "Your own service judges the task. Test that service directly." });
	}
	assertRubric(criteria);
	if (MODES[task.evalMode].usesImage && task.evalImage === null) {
		throw new AppError("BAD_REQUEST", { message: `eval_mode ${task.evalMode} needs an eval_image. PATCH the task with one first.` });
	}
}

export type ExpectedScores = Readonly<Record<string, number>>;

/** The maximum number of unknown names in an error message, because a body could contain a million. */
const MAX_LISTED_NAMES = 20;

/** @throws AppError `INVALID_BODY` for a name that is not a criterion of the task. */
export function assertKnownExpectations(expected: ExpectedScores | undefined, criteria: readonly { readonly name: string }[]): void {
	const unknown = Object.keys(expected ?? {}).filter((name) => !criteria.some((criterion) => criterion.name === name));
	if (unknown.length === 0) return;
	const faults = unknown.slice(0, MAX_LISTED_NAMES).map((name) => ({
		path: `expected[${JSON.stringify(name.slice(0, 200))}]`,
		message: "is not a criterion of the task",
	}));
	throw invalidInput("INVALID_BODY", faults);
}

/**
 * @param blocking When the oldest of the runs that fill the window was made, in milliseconds since the epoch. Null while there is room.
 * @throws AppError `RATE_LIMITED`
 */
export function assertRunsLeft(blocking: number | null, now: number): void {
	if (blocking === null) return;
	const retryAfterSeconds = Math.max(1, Math.ceil((blocking + DRY_RUN_WINDOW_MS - now) / 1000));
	throw new AppError("RATE_LIMITED", {
		message: `A task gets at most ${MAX_DRY_RUNS} dry runs in 24 hours. Wait for the number of seconds in Retry-After.`,
		details: { retry_after_seconds: retryAfterSeconds, limit: MAX_DRY_RUNS },
		retryAfterSeconds,
	});
}

/** Compares the scores with what the poster expected. Returns null if nothing was expected, or while there are no scores. */
export function compareWithExpected(
	expected: ExpectedScores | null,
	dimensions: readonly { readonly criterion: string; readonly score: number }[] | null,
) {
	if (expected === null || dimensions === null) return null;
	const criteria = Object.entries(expected).map(([name, wanted]) => {
		const score = dimensions.find(({ criterion }) => criterion === name)?.score ?? null;
		return { criterion_name: name, expected: wanted, score };
	});
	const errors = criteria.flatMap(({ expected: wanted, score }) => (score === null ? [] : [Math.abs(wanted - score)]));
	const sum = errors.reduce((total, error) => total + error, 0);
	return { mean_absolute_error: errors.length === 0 ? null : roundScore(sum / errors.length), criteria };
}

export const MAX_REFERENCES = 4;

/**
 * @param others The number of the task's other references.
 * @throws AppError `CONFLICT`, `WRONG_EVAL_MODE`, `INVALID_BODY`, in this order.
 */
export function assertCanRefer(
	task: Pick<TaskRow, "status" | "evalMode">,
	{ expected, others }: { readonly expected: ExpectedScores | null; readonly others: number },
): void {
	if (task.status !== "draft") {
		throw new AppError("CONFLICT", { message: "The task is published, and its references are locked with its rubric." });
	}
	if (!MODES[task.evalMode].usesJudge) {
		throw new AppError("WRONG_EVAL_MODE", { message: "References test the model that judges a task, but no model judges this task." });
	}
	if (expected === null) throw invalidInput("INVALID_BODY", [{ path: "reference", message: "needs a dry run with expected scores" }]);
	if (others < MAX_REFERENCES) return;
	throw new AppError("CONFLICT", { message: `A task has at most ${MAX_REFERENCES} references. Withdraw one first.` });
}
