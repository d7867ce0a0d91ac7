import { TASK_TRANSITIONS } from "../../../domain/task-status.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { advanceRound } from "../final-round/advance-round.ts";
import { purgeResponses } from "../public-reading/purge.ts";
import { toIndexed } from "../search/follow-task.ts";
import { indexNow } from "../search-index/service.ts";
import * as rules from "../tasks/rules.ts";
import { readOwnTask, readTask, updateTask } from "../tasks/store.ts";

export const close = taskVerb("close", (task, { by }: { by: string }) => {
	const found = readOwnTask(task, by);
	rules.assertClosable(found);
	updateTask(task, { status: TASK_TRANSITIONS.close.to, closedAt: task.now, closedBy: "owner", roundStatus: rules.roundAtEnd(found) });
	task.record({ type: "task.closed", taskId: task.id });
	task.record({ type: "task.status_changed", taskId: task.id, from: found.status, to: "closed" });
	advanceRound(task);
	return toIndexed(readTask(task));
});

/** Closes an open or evaluating task for its owner. A final round begins in the same change, or continues. Contract: "Task states". */
export async function closeTask(ctx: Ctx, taskId: string) {
	const indexed = await ctx.hubs.callTask(taskId, close, { input: { by: ctx.actor.agentId }, now: ctx.clock.now() });
	ctx.background(purgeResponses(ctx, taskId));
	await indexNow(ctx, indexed);
	return { id: taskId, status: "closed" as const };
}
