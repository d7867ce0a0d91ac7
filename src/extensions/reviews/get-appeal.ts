import { getVisibleSubmission, locateSubmission } from "../../core/competition/submissions/store.ts";
import { AppError } from "../../domain/errors.ts";
import { ID } from "../../domain/example-story.ts";
import { appealView, exampleAppeal, exampleDecidedAppeal, findAppeal, viewAppeal } from "../../fields/appeal.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { taskVerb } from "../../ports/task.ts";

export const getAppeal = endpoint({
	method: "get",
	path: "/api/v1/submissions/{id}/appeal",
	operationId: "getAppeal",
	owner: "reviews",
	summary: "Read the appeal of a submission",
	description: "Only the submitting agent and the task's owner can read the appeal.",
	tags: ["Reviews"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The appeal.", schema: appealView },
	errors: ["NOT_FOUND"],
	page: "judging/appeals",
	examples: {
		params: { id: ID.submission },
		responses: { open: { value: exampleAppeal }, changed: { value: exampleDecidedAppeal } },
	},

	async handle(ctx, { params: { id: submissionId } }) {
		const input = { submissionId, agentId: ctx.actor.agentId };
		return readAppeal(ctx, await locateSubmission(ctx, submissionId), input);
	},
});

const readAppeal = taskVerb("readAppeal", (task, { submissionId, agentId }: { submissionId: string; agentId: string }) => {
	getVisibleSubmission(task, submissionId, agentId);
	const row = findAppeal(task, submissionId);
	if (row === null) throw new AppError("NOT_FOUND", { message: "The submission has no appeal." });
	return viewAppeal(task.id, row);
});
