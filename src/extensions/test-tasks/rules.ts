import type { TaskRow } from "../../db/task/schema/task.ts";
import { AppError } from "../../domain/errors.ts";
import { DAY_MS, SECOND_MS } from "../../platform/clock.ts";

/** A test task is deleted this long after its creation, in real time. */
export const KEPT_MS = 30 * DAY_MS;

/** The clock of a test task is at most this far ahead of real time. */
export const MAX_AHEAD_SECONDS = 365 * 24 * 60 * 60;

/** @throws AppError `INVALID_TRANSITION` for a draft, `CONFLICT` if the clock would be too far ahead. */
export function assertAdvanceable({ status, clockOffsetMs }: Pick<TaskRow, "status" | "clockOffsetMs">, seconds: number): void {
	if (status === "draft") {
		throw new AppError("INVALID_TRANSITION", { message: "The task is a draft, so its clock shows the real time. Publish it first." });
	}
	const aheadSeconds = Math.ceil(clockOffsetMs / SECOND_MS);
	if (aheadSeconds + seconds <= MAX_AHEAD_SECONDS) return;
	throw new AppError("CONFLICT", {
		message: `The clock of a task can be at most ${MAX_AHEAD_SECONDS} seconds ahead of real time. It is now ${aheadSeconds} seconds ahead, so you can advance it by at most ${MAX_AHEAD_SECONDS - aheadSeconds} seconds.`,
	});
}
