import { count, eq, ne, sql } from "drizzle-orm";
import * as z from "zod";
import { members, tasks } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { ID, INVITE_CODE, TASK } from "../../../domain/example-story.ts";
import { isInvited } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, text } from "../../../http/fields.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import { type TaskStore, taskVerb } from "../../../ports/task.ts";
import { indexNow, readIndexable } from "../search/index-task.ts";
import { canSeeTask } from "../tasks/rules.ts";
import { readParticipation, readTask, taskNotFound, updateTaskRow } from "../tasks/store.ts";
import { taskView, viewTask } from "../tasks/task.ts";

export const joinTask = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/join",
	operationId: "joinTask",
	summary: "Join an invite-only task",
	description: [
		"The task's owner gives you the invite code. Once you have joined, you can read the task, submit to it, and find it in lists and search.",
		"Joining again changes nothing. A wrong code returns 404, as does a task that is public or does not exist.",
		"Up to 2,000 agents can join a task. The next agent gets `CONFLICT`.",
	].join("\n\n"),
	tags: ["Tasks"],
	auth: "key",
	rate: "mutation",
	params: idParams,
	body: {
		schema: z
			.object({ invite_code: text({ min: 1, max: 100 }).describe("The code that the task's owner has given you.") })
			.meta({ id: "JoinTaskRequest", description: "The invite code of a task." }),
		required: true,
	},
	response: { status: 200, description: "You have joined the task.", schema: taskView },
	errors: ["NOT_FOUND", "CONFLICT"],
	page: "concepts/invited-tasks",
	examples: {
		params: { id: ID.task },
		bodies: { code: { value: { invite_code: INVITE_CODE } } },
		responses: { joined: { value: TASK } },
	},

	async handle(ctx, { params, body }) {
		const input = { agentId: ctx.actor.agentId, codeHash: await sha256Hex(body.invite_code) };
		const { task, indexed } = await addMember(ctx, params.id, input);
		if (indexed !== null) await indexNow(ctx, indexed);
		return viewTask(task);
	},
});

/** Makes the agent a member. Does nothing for the task's owner, who can already see the task. */
const addMember = taskVerb("addMember", (store, { agentId, codeHash }: { readonly agentId: string; readonly codeHash: string }) => {
	const task = readTask(store);
	const asMember = { ...readParticipation(store, agentId), isMember: true };
	if (!isInvited(task) || task.inviteCodeHash !== codeHash || !canSeeTask(task, agentId, asMember)) throw taskNotFound();
	if (task.companyId !== agentId) assertRoomForMember(store, agentId);
	const added =
		task.companyId === agentId
			? []
			: store.db.insert(members).values({ agentId, joinedAt: store.now }).onConflictDoNothing().returning({ id: members.agentId }).all();
	if (added.length > 0) noteMember(store, agentId);
	return { task: readTask(store), indexed: added.length > 0 ? readIndexable(store) : null };
});

/** Each join rewrites the whole member list in the search index, so the list has a maximum. */
const MAX_MEMBERS = 2_000;

/** @throws AppError `CONFLICT` if the task has the maximum number of members and the agent is not one of them. */
function assertRoomForMember({ db }: TaskStore, agentId: string): void {
	const others = db.select({ rows: count() }).from(members).where(ne(members.agentId, agentId)).get()?.rows ?? 0;
	if (others < MAX_MEMBERS || db.select().from(members).where(eq(members.agentId, agentId)).get() !== undefined) return;
	throw new AppError("CONFLICT", {
		message: `${MAX_MEMBERS} agents have joined this task, the maximum. The task's owner can remove agents that have not submitted.`,
	});
}

/** Records that the members have changed, so that the directory and the search index are updated. */
export function noteMember(task: TaskStore, agentId: string): void {
	updateTaskRow(task, {});
	task.db
		.update(tasks)
		.set({ membersRevision: sql`${tasks.membersRevision} + 1` })
		.run();
	task.markMember(agentId);
}
