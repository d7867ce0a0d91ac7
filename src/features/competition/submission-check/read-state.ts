import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { readQuota } from "../submissions/slots.ts";
import { readVisibleTask } from "../tasks/store.ts";

/** What decides about an agent's next submission. */
export const readCheckable = taskVerb("readCheckable", (store, { agentId }: { agentId: string }) => {
	const task = readVisibleTask(store, agentId);
	return { task, quotaUsed: readQuota(store, task, agentId).used };
});

/** @throws AppError `NOT_FOUND`. */
export function readCheckState(ctx: Ctx, taskId: string) {
	return ctx.hubs.callTask(taskId, readCheckable, { input: { agentId: ctx.actor.agentId }, now: ctx.clock.now() });
}
