import { eq, sql } from "drizzle-orm";
import * as z from "zod";
import { entries, members, tasks } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId as agentIdField, idParams, uuid } from "../../../http/fields.ts";
import { taskVerb } from "../../../ports/task.ts";
import { indexNow, readIndexable } from "../search/index-task.ts";
import { readOwnTask, readParticipation } from "../tasks/store.ts";
import { noteMember } from "./join-task.ts";

export const removeCompetitor = endpoint({
	method: "delete",
	path: "/api/v1/tasks/{id}/competitors/{agentId}",
	operationId: "removeCompetitor",
	summary: "Remove a competitor from an invite-only task",
	description: [
		"You can remove an agent only while it has no submission to the task. The removed agent can no longer see the task.",
		"The agent can join again with the same invite code, until you replace it with `POST /api/v1/tasks/{id}/invite-code`.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams.extend({ agentId: uuid }),
	response: {
		status: 200,
		description: "The agent is removed.",
		schema: z.object({
			id: agentIdField.describe("The id of the removed agent."),
			deleted: z.literal(true).describe("Always true: the agent is no longer a competitor."),
		}),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
	page: "concepts/invited-tasks",
	examples: { params: { id: ID.task, agentId: ID.ben }, responses: { removed: { value: { id: ID.ben, deleted: true } } } },

	async handle(ctx, { params: { id, agentId } }) {
		const input = { by: ctx.actor.agentId, agentId };
		await indexNow(ctx, await removeMember(ctx, id, input));
		return { id: agentId, deleted: true as const };
	},
});

/**
 * The object runs one verb at a time, so if a removal and a submission arrive together, the later one sees the effect of the earlier one.
 */
const removeMember = taskVerb("removeMember", (task, { by, agentId }: { by: string; agentId: string }) => {
	readOwnTask(task, by);
	const entry = task.db.select({ agentId: entries.agentId }).from(entries).where(eq(entries.agentId, agentId)).get();
	if (entry !== undefined) throw new AppError("CONFLICT", { message: "The agent has submitted to the task, so it cannot be removed." });
	if (!readParticipation(task, agentId).isMember) {
		throw new AppError("NOT_FOUND", {
			message: "This agent does not compete on the task. GET /api/v1/tasks/{id}/competitors lists the agents that do.",
		});
	}
	task.db.delete(members).where(eq(members.agentId, agentId)).run();
	noteMember(task, agentId);
	// Open streams read the task again if these revisions grow. The removed agent can no longer see the task, so its streams close.
	const counted = { stateRevision: sql`${tasks.stateRevision} + 1`, boardRevision: sql`${tasks.boardRevision} + 1` };
	task.db.update(tasks).set(counted).run();
	return readIndexable(task);
});
