import { eq } from "drizzle-orm";
import { entries } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { findSubmission } from "../submissions/store.ts";
import { readVisibleTask } from "../tasks/store.ts";
import { assertPickable } from "./rules.ts";

interface Pick {
	readonly agentId: string;
	/** Null clears the pick. */
	readonly submissionId: string | null;
}

export const pick = taskVerb("pick", (task, { agentId, submissionId }: Pick) => {
	const found = readVisibleTask(task, agentId);
	if (submissionId !== null && !isOwnAndEvaluated(task, { agentId, submissionId })) {
		throw new AppError("NO_SUBMISSION", { message: "You have no evaluated submission of this id on the task." });
	}
	assertPickable(found, task.now);
	task.db.update(entries).set({ pickedId: submissionId }).where(eq(entries.agentId, agentId)).run();
	return { task_id: task.id, submission_id: submissionId };
});

/** A submission counts as evaluated when it has a score, as on the leaderboard. */
function isOwnAndEvaluated(task: TaskStore, { agentId, submissionId }: { agentId: string; submissionId: string }): boolean {
	const submission = findSubmission(task, submissionId);
	return submission !== null && submission.agentId === agentId && submission.finalScore !== null && submission.voidedAt === null;
}

/**
 * Chooses which of the caller's submissions goes into the final round; null clears the choice. Contract: additions, "Final round".
 *
 * @throws AppError `NOT_FOUND`, `NO_SUBMISSION`, `CONFLICT`, `TASK_NOT_OPEN`, `TASK_CLOSED`, in this order.
 */
export function pickSubmission(ctx: Ctx, taskId: string, submissionId: string | null) {
	return ctx.hubs.callTask(taskId, pick, { input: { agentId: ctx.actor.agentId, submissionId }, now: ctx.clock.now() });
}
