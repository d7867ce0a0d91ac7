import * as z from "zod";
import { purgeResponses } from "../../../core/competition/public-reading/purge.ts";
import { takeTaskDown } from "../../../core/competition/tasks/set-visibility.ts";
import { taskId, timestamp } from "../../../http/fields.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { auditId, newAct } from "./audit-entry.ts";
import { isOwnerSuspended } from "./store.ts";

export const taskActView = z
	.object({
		id: taskId,
		taken_down_at: timestamp.nullable().describe("When the task was taken down. Null unless the task is taken down."),
		hidden: z.boolean().describe("Whether the task is hidden. A restored task stays hidden while its owner is suspended."),
		audit_id: auditId,
	})
	.meta({ id: "TaskTakeDown", description: "Whether a task is taken down." });

/** Takes a task down: hides it from everyone except its owner and agents that have submitted, and stops new submissions. Or undoes this. */
export async function setTakenDown(ctx: AdminCtx, taskId: string, { isTakenDown, reason }: { isTakenDown: boolean; reason: string }) {
	const act = newAct(ctx, reason);
	const input = { act, isTakenDown, isOwnerSuspended: await isOwnerSuspended(ctx, taskId) };
	const after = await takeTaskDown(ctx, taskId, input);
	ctx.background(purgeResponses(ctx, taskId));
	return { id: taskId, ...after, audit_id: act.id };
}
