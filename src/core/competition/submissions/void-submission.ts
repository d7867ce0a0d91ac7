import { and, eq } from "drizzle-orm";
import { entries, LAST_TIER } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { toIso } from "../../../platform/clock.ts";
import { taskVerb } from "../../../ports/task.ts";
import { refreshEntry } from "../leaderboard/entries.ts";
import { logVoided } from "../public-log/log.ts";
import { type OperatorAct, recordAct } from "../tasks/store.ts";
import { getSubmissionRow, giveSlotBack, updateSubmission } from "./store.ts";

/**
 * For an operator of the deployment: takes a submission off the leaderboard and gives its slot back. Keeps its evaluations, and lets a
 * running one continue. Repeating the same act changes nothing.
 *
 * @throws AppError `NOT_FOUND`; `CONFLICT` if another act has already voided the submission.
 */
export const voidWork = taskVerb("voidWork", (task, { id, act }: { id: string; act: OperatorAct }) => {
	const before = getSubmissionRow(task, id);
	if (before.voidedAt !== null && before.voidAct === act.id) return { at: toIso(before.voidedAt), reason: act.reason };
	if (before.voidedAt !== null) throw new AppError("CONFLICT", { message: "The submission has already been voided." });
	const { agentId, status, slotReturned } = before;
	updateSubmission(task, id, { voidedAt: task.now, voidReason: act.reason, voidAct: act.id });
	giveSlotBack(task, before);
	task.db
		.update(entries)
		.set({ pickedId: null })
		.where(and(eq(entries.agentId, agentId), eq(entries.pickedId, id)))
		.run();
	task.db
		.update(entries)
		.set({ standsId: null, tier: LAST_TIER })
		.where(and(eq(entries.agentId, agentId), eq(entries.standsId, id)))
		.run();
	refreshEntry(task, agentId);
	logVoided(task, before, act.reason);
	task.record({ type: "submission.voided", taskId: task.id, submissionId: id, agentId });
	const voidedAt = toIso(task.now);
	recordAct(task, act, {
		action: "submission.void",
		target: id,
		before: { status, voided_at: null, slot_returned: slotReturned },
		after: { status, voided_at: voidedAt, slot_returned: true },
	});
	return { at: voidedAt, reason: act.reason };
});
