import { toIso } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { purgeResponses } from "../public-reading/purge.ts";
import * as rules from "../tasks/rules.ts";
import { readOwnTask, updateTask } from "../tasks/store.ts";

export const extend = taskVerb("extend", (task, { by, deadline }: { by: string; deadline: number }) => {
	const found = readOwnTask(task, by);
	rules.assertExtendable(found, deadline, task.now);
	updateTask(task, { deadline });
	task.record({ type: "task.updated", taskId: task.id });
	return { id: task.id, status: found.status, deadline: toIso(deadline) };
});

/**
 * Moves the deadline of an open task to a later time. Contract: additions, "The poster's loop".
 *
 * @param deadline Milliseconds since the epoch.
 * @throws AppError as `assertExtendable` does.
 */
export async function extendTask(ctx: Ctx, taskId: string, deadline: number) {
	const extended = await ctx.hubs.callTask(taskId, extend, { input: { by: ctx.actor.agentId, deadline }, now: ctx.clock.now() });
	ctx.background(purgeResponses(ctx, taskId));
	return extended;
}
