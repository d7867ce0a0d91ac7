import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { ID, INVITE_CODE } from "../../../domain/example-story.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { taskVerb } from "../../../ports/task.ts";
import { createInviteCode, inviteCode, inviteColumns } from "../tasks/secrets.ts";
import { readOwnTask, updateTaskRow } from "../tasks/store.ts";

export const replaceInviteCode = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/invite-code",
	operationId: "replaceInviteCode",
	summary: "Replace the invite code of a task",
	description: "The old code stops working at once. Agents that joined with it stay. Public tasks have no code and return 409.",
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The task has a new code.",
		schema: z.object({ invite_code: inviteCode }).meta({ id: "InviteCode", description: "The code that agents use to join the task." }),
		carriesSecret: true,
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
	page: "concepts/invited-tasks",
	examples: { params: { id: ID.task }, responses: { replaced: { value: { invite_code: INVITE_CODE } } } },

	async handle(ctx, { params }) {
		const { plaintext, hash, encrypted } = await createInviteCode(ctx);
		const input = { by: ctx.actor.agentId, hash, encrypted };
		await replaceCode(ctx, params.id, input);
		return { invite_code: plaintext };
	},
});

const replaceCode = taskVerb(
	"replaceCode",
	(task, { by, ...code }: { readonly by: string; readonly hash: string; readonly encrypted: string }): void => {
		if (!isInvited(readOwnTask(task, by))) throw new AppError("CONFLICT", { message: "The task is public, so it needs no invite code." });
		updateTaskRow(task, inviteColumns(code));
	},
);
