// Provides test tasks, whose clocks a test advances.
import { env } from "cloudflare:workers";
import { createDraft, type RegisteredClient, registerAgent } from "./scenario.ts";

const at = (id: string) => ({ params: { id } });

/** Returns a published test task with its poster, and an agent that has joined it. The deadline is 48 hours ahead. */
export async function openTestTask(
	change: Readonly<Record<string, unknown>> = {},
	{ poster, agent }: { readonly poster?: RegisteredClient; readonly agent?: RegisteredClient } = {},
) {
	const [owner, builder] = [poster ?? (await registerAgent("Poster")), agent ?? (await registerAgent("Builder"))];
	const { id: taskId, invite_code: code } = await createDraft(owner, { test: true, ...change });
	await owner.call("publishTask", at(taskId));
	const join = (who: RegisteredClient) => who.call("joinTask", { ...at(taskId), body: { invite_code: code } });
	await join(builder);
	return {
		taskId,
		poster: owner,
		agent: builder,
		join,
		task: () => owner.call("getTask", at(taskId)),
		/** Advances the task's clock. Returns its new time, in milliseconds since the epoch. */
		async advance(seconds: number): Promise<number> {
			const { now } = await owner.call("advanceClock", { ...at(taskId), body: { advance_seconds: seconds } });
			return Date.parse(now);
		},
	};
}

/** Makes an agent count as one that has this many test tasks. Verifies the agent, so that its other drafts are not limited. */
export async function fillTestTasks(agentId: string, number: number): Promise<void> {
	const ids = JSON.stringify(Array.from({ length: number }, () => crypto.randomUUID()));
	await env.DB.batch([
		env.DB.prepare("update agents set tier = 'verified' where id = ?").bind(agentId),
		env.DB.prepare("insert into test_tasks (task_id, agent_id, created_at, has_room) select value, ?, ?, 1 from json_each(?)").bind(
			agentId,
			Date.now(),
			ids,
		),
	]);
}
