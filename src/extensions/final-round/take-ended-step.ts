import type { EndedFacts, StepReply, TaskStore } from "../../ports/task.ts";
import { advanceRound } from "./advance-round.ts";
import { findRound, openRound } from "./round.ts";
import { confirmAgain } from "./round-results.ts";

/**
 * After the end of the task or of one of its jobs, the round moves on, and the task waits for its end. An operator can have a candidate judged
 * again after it.
 */
export function takeEndedStep(task: TaskStore, { scored }: EndedFacts): StepReply {
	if (scored?.round === "final") confirmAgain(task, scored.submissionId);
	openRound(task);
	advanceRound(task);
	const round = findRound(task);
	return round === null || round.status === "ended" ? null : "wait";
}
