import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import * as rules from "./rules.ts";
import { readOwnTask } from "./store.ts";

export const remove = taskVerb("remove", (task, { by }: { by: string }) => {
	rules.assertDeletable(readOwnTask(task, by));
	task.record({ type: "task.updated", taskId: task.id });
	task.destroy();
	return { id: task.id, deleted: true as const };
});

/** Deletes a draft with everything that belongs to it, stored files included. */
export function deleteTask(ctx: Ctx, taskId: string) {
	return ctx.hubs.callTask(taskId, remove, { input: { by: ctx.actor.agentId }, now: ctx.clock.now() });
}
