// The verb pickSubmission: what an agent decides about a final round, apart from the round itself.
import { commit, decideAndCommit } from "../../db/commit.ts";
import { guardTaskRevision } from "../../db/conditions.ts";
import { AppError } from "../../domain/errors.ts";
import type { Ctx } from "../../ports/deps.ts";
import { assertPickable } from "../competition/final-round/rules.ts";
import { canReadTask, taskNotFound } from "../tasks/service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/**
 * Chooses which of the caller's submissions goes into the final round; null clears the choice. Contract: additions, "Final round".
 *
 * @throws AppError `NOT_FOUND`, `NO_SUBMISSION`, `CONFLICT`, `TASK_NOT_OPEN`, `TASK_CLOSED`, in this order.
 */
export function pickSubmission(ctx: Ctx, taskId: string, submissionId: string | null) {
	const { agentId } = ctx.actor;
	return decideAndCommit(ctx.db, async () => {
		const found = await store.findPickState(ctx, { taskId, agentId, submissionId });
		if (found === null || !(await canReadTask(ctx, found, agentId))) throw taskNotFound();
		if (submissionId !== null && !found.isOwnAndEvaluated) {
			throw new AppError("NO_SUBMISSION", { message: "You have no evaluated submission of this id on the task." });
		}
		assertPickable(found, ctx.clock.now());
		await commit(ctx.db, [
			guardTaskRevision(ctx.db, found),
			statements.guardTaskOpen(ctx, taskId),
			statements.guardPickable(ctx, { taskId, agentId, submissionId }),
			statements.updatePick(ctx, { taskId, agentId, submissionId }),
		]);
		return { task_id: taskId, submission_id: submissionId };
	});
}
