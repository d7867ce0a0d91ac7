// Cancels a final round. Deletes its candidates and judgements, and keeps only the reason.

import { appendToLog } from "../../core/competition/public-log/log.ts";
import { finalCandidates } from "../../db/task/schema/final-round.ts";
import type { TaskStore } from "../../ports/task.ts";
import { endJobsOf } from "./candidates.ts";
import { forgetJudgements } from "./kept-judgements.ts";
import { updateRound } from "./round.ts";

/** Ends the round without results, so the provisional order is final. */
export function cancelRound(task: TaskStore, reason: string): void {
	endJobsOf(task, ["judging", "sampling"]);
	task.db.delete(finalCandidates).run();
	forgetJudgements(task);
	updateRound(task, { status: "ended" });
	const end = { candidates: 0, failed: 0, reason };
	appendToLog(task, { event: "round_ended", facts: end });
	task.record({ type: "final_round.ended", taskId: task.id, ...end });
}
