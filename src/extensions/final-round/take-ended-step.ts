import type { EndedFacts, StepReply, TaskStore } from "../../ports/task.ts";
import { advanceRound } from "./advance-round.ts";
import { findRound, openRound } from "./round.ts";
import { confirmAgain } from "./round-results.ts";

/**
 * Advances the round after the end of the task or of one of its jobs. Returns `wait` until the round has ended, because the task's final
 * ranks wait for it. After the round, an operator can have a candidate judged again.
 */
export function takeEndedStep(task: TaskStore, { scored }: EndedFacts): StepReply {
	if (scored?.round === "final") confirmAgain(task, scored.submissionId);
	openRound(task);
	advanceRound(task);
	const round = findRound(task);
	return round === null || round.status === "ended" ? null : "wait";
}
