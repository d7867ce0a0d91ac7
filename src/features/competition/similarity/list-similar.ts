import { desc } from "drizzle-orm";
import { signatures } from "../../../db/task/schema/submissions.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { MAX_COMPARED, viewSimilar } from "../../similarity/service.ts";
import { readOwnTask } from "../tasks/store.ts";

/** The signatures of the newest submissions, newest first, for the task's owner. */
export const readSignatures = taskVerb("readSignatures", (task, { by }: { by: string }) => {
	readOwnTask(task, by);
	return task.db.select().from(signatures).orderBy(desc(signatures.submissionId)).limit(MAX_COMPARED).all();
});

/**
 * A page of the pairs of a task's submissions that are alike, for its owner. Comparing ten thousand takes up to a second, which the Worker
 * spends and not the object. Contract: additions, "Similar work".
 */
export function listSimilar(ctx: Ctx, taskId: string, page: { limit: number; cursor?: string | undefined }) {
	return viewSimilar(page, () => ctx.hubs.callTask(taskId, readSignatures, { input: { by: ctx.actor.agentId }, now: ctx.clock.now() }));
}
