import { FIRST_PLACES } from "../../core/competition/evaluation/rules.ts";
import type { TaskRow } from "../../db/task/schema/task.ts";
import { SAMPLE_COUNTS } from "../../domain/checks.ts";
import { AppError } from "../../domain/errors.ts";
import { isOver, UPLOAD_GRACE_MS } from "../../domain/task-status.ts";
import { DAY_MS } from "../../platform/clock.ts";

/** The minimum number of candidates that the ceiling must pay for. If there are fewer candidates, it must pay for all of them. */
export const LEAST_CANDIDATES = FIRST_PLACES;

/** The judging of a round may take this long after the first evaluation was claimed. The time of a pause by an operator does not count. */
export const MAX_ROUND_MS = 3 * DAY_MS;

/** The number of extra samples per criterion for each candidate near the first places. */
export const FURTHER_SAMPLES = 8;

interface EstimatedCandidate {
	readonly submissionId: string;
	readonly judgedId: string;
	/** The expected cost of the first samples, in millionths of a US dollar. It is paid once for all candidates that share a judgement. */
	readonly estimate: number;
}

/**
 * Chooses the best candidates, as many as the round can pay for.
 * Returns null if these are too few, so that no agent ranks lower because money ran out.
 *
 * @param candidates In the order of the provisional leaderboard.
 * @param room What is left of the task's ceiling, in millionths of a US dollar. Null if there is no ceiling.
 */
export function chooseFunded<Candidate extends EstimatedCandidate>(
	candidates: readonly Candidate[],
	room: number | null,
): readonly Candidate[] | null {
	if (room === null) return candidates;
	let left = room;
	const paid = new Set<string>();
	const funded: Candidate[] = [];
	for (const candidate of candidates) {
		const cost = paid.has(candidate.judgedId) ? 0 : candidate.estimate;
		if (cost > left) break;
		left -= cost;
		paid.add(candidate.judgedId);
		funded.push(candidate);
	}
	return funded.length < Math.min(LEAST_CANDIDATES, candidates.length) ? null : funded;
}

/** Estimates the cost of a candidate's extra samples. Each costs as much as one of its first samples. */
export function estimateFurther(estimate: number): number {
	return Math.ceil((estimate * FURTHER_SAMPLES) / SAMPLE_COUNTS.replacing);
}

/** The reasons why a round did not take place, as the public log shows them. */
export const NO_ROUND = {
	empty: "No submission has a score.",
	noRoom: "The final round did not take place, because it would exceed the task's spending ceiling. The provisional order is final.",
	noEstimate:
		"The final round did not take place, because its cost could not be estimated within 24 hours. The provisional order is final.",
	tooLong:
		"The final round did not take place, because not all candidates could be judged within 72 hours. The provisional order is final.",
} as const;

/** A task has ended once it accepts no more submissions. */
export function hasEnded({ status, deadline }: Pick<TaskRow, "status" | "deadline">, now: number): boolean {
	return status === "open" ? isOver({ deadline }, now) : status !== "draft";
}

/** Returns true once a registered submission can no longer be completed. */
function areUploadsOver({ closedBy, deadline }: Pick<TaskRow, "closedBy" | "deadline">, now: number): boolean {
	return closedBy === "owner" || isOver({ deadline: deadline + UPLOAD_GRACE_MS }, now);
}

/**
 * Returns true once no more provisional scores can arrive.
 *
 * @param round `hasRunning`: a submission is being evaluated. `hasRegistered`: a submission is registered but not completed.
 */
export function canBegin(
	round: Pick<TaskRow, "closedBy" | "deadline"> & { readonly hasRunning: boolean; readonly hasRegistered: boolean },
	now: number,
): boolean {
	return !round.hasRunning && (!round.hasRegistered || areUploadsOver(round, now));
}

/** @throws AppError `CONFLICT`, `TASK_NOT_OPEN` or `TASK_CLOSED`, in this order. */
export function assertPickable(task: Pick<TaskRow, "status" | "deadline" | "finalRound">, now: number): void {
	if (!task.finalRound) throw new AppError("CONFLICT", { message: "The task has no final round. The best score of each agent counts." });
	if (task.status === "draft")
		throw new AppError("TASK_NOT_OPEN", { message: "The task is a draft. Pick a submission after it is published." });
	if (task.status !== "open" || isOver(task, now)) {
		throw new AppError("TASK_CLOSED", { message: "The task has ended, so you can no longer pick a submission." });
	}
}
