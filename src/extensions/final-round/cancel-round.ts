// A final round that does not take place leaves nothing behind but its reason.

import { logRoundEnd } from "../../core/competition/public-log/log.ts";
import { updateTaskRow } from "../../core/competition/tasks/store.ts";
import { finalCandidates } from "../../db/task/schema/submissions.ts";
import type { TaskStore } from "../../ports/task.ts";
import { endJobsOf } from "./candidates.ts";
import { forgetJudgements } from "./kept-judgements.ts";

/** The round does not take place: the provisional order stands. */
export function cancelRound(task: TaskStore, reason: string): void {
	endJobsOf(task, ["judging", "sampling"]);
	task.db.delete(finalCandidates).run();
	forgetJudgements(task);
	updateTaskRow(task, { roundStatus: "ended", roundEndedAt: task.now, roundReason: reason });
	logRoundEnd(task, { candidates: 0, failed: 0, reason });
	task.record({ type: "final_round.ended", taskId: task.id, candidates: 0, failed: 0, reason });
}
