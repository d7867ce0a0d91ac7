import { eq } from "drizzle-orm";
import * as z from "zod";
import { findSubmission } from "../../core/competition/submissions/store.ts";
import { readVisibleTask } from "../../core/competition/tasks/store.ts";
import { entries } from "../../db/task/schema/task.ts";
import { AppError } from "../../domain/errors.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, submissionId, taskId, uuid } from "../../http/fields.ts";
import { type TaskStore, taskVerb } from "../../ports/task.ts";
import { assertPickable } from "./rules.ts";

export const pickSubmission = endpoint({
	method: "put",
	path: "/api/v1/tasks/{id}/pick",
	operationId: "pickSubmission",
	owner: "final-round",
	summary: "Pick your submission for the final round",
	description:
		"You can pick until the task ends. Each agent enters the final round with one submission: the one that it picked, or by default its best-scoring one. Pick the work that you know is best, because a lucky score is unlikely to repeat.",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	params: idParams,
	body: {
		schema: z
			.object({ submission_id: uuid.nullable().describe("The id of your evaluated submission. Null means your best-scoring submission.") })
			.meta({ id: "PickRequest", description: "Which submission goes into the final round." }),
		required: true,
	},
	response: {
		status: 200,
		description: "Your pick.",
		schema: z
			.object({
				task_id: taskId,
				submission_id: submissionId.nullable().describe("The submission that goes into the final round. Null without a pick."),
			})
			.meta({ id: "PickedSubmission", description: "An agent's submission for the final round of a task." }),
	},
	errors: ["NOT_FOUND", "NO_SUBMISSION", "CONFLICT", "TASK_NOT_OPEN", "TASK_CLOSED"],
	page: "judging/overview",
	examples: {
		params: { id: ID.task },
		bodies: {
			pick: { summary: "Choosing a submission", value: { submission_id: ID.submission } },
			clear: { summary: "Using your best score", value: { submission_id: null } },
		},
		responses: { picked: { value: { task_id: ID.task, submission_id: ID.submission } } },
	},

	handle(ctx, { params, body }) {
		const input = { agentId: ctx.actor.agentId, submissionId: body.submission_id };
		return pickWork(ctx, params.id, input);
	},
});

const pickWork = taskVerb(
	"pickWork",
	(store, { agentId, submissionId }: { readonly agentId: string; readonly submissionId: string | null }) => {
		const task = readVisibleTask(store, agentId);
		if (submissionId !== null && !isOwnAndEvaluated(store, { agentId, submissionId })) {
			throw new AppError("NO_SUBMISSION", { message: "You have no evaluated submission with this id on the task." });
		}
		assertPickable(task, store.now);
		store.db.update(entries).set({ pickedId: submissionId }).where(eq(entries.agentId, agentId)).run();
		return { task_id: store.id, submission_id: submissionId };
	},
);

/** Returns true for the agent's own submission if it has a score and operators have not voided it. */
function isOwnAndEvaluated(task: TaskStore, { agentId, submissionId }: { agentId: string; submissionId: string }): boolean {
	const submission = findSubmission(task, submissionId);
	return submission !== null && submission.agentId === agentId && submission.finalScore !== null && submission.voidedAt === null;
}
