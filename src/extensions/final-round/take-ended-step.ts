import type { EndedFacts, TaskStore } from "../../ports/task.ts";
import { advanceRound } from "./advance-round.ts";
import { confirmAgain } from "./round-results.ts";

/** After the end of the task or of one of its jobs, the round moves on. An operator can have a candidate judged again after it. */
export function takeEndedStep(task: TaskStore, { scored }: EndedFacts): void {
	if (scored?.round === "final") confirmAgain(task, scored.submissionId);
	advanceRound(task);
}
