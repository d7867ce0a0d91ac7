// To a stranger, an invite-only task and its submissions do not exist: tools respond as they do for unknown ids.

import { beforeAll, describe, expect, it } from "vitest";
import { rpc } from "../support/mcp.ts";
import { attachmentForm, createDraft, hoursFromNow, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { readStream } from "../support/sse.ts";
import { emit, holdPlatform, subscribe } from "../support/webhooks.ts";

/** The keys are the text before `{id}` in a path, or the name of a parameter. */
type Ids = Readonly<Record<string, string>>;

const at = (id: string) => ({ params: { id } });
const unknownIds = (): Ids => ({
	tasks: crypto.randomUUID(),
	submissions: crypto.randomUUID(),
	"dry-runs": crypto.randomUUID(),
	trials: crypto.randomUUID(),
	attachmentId: crypto.randomUUID(),
});

let poster: RegisteredClient;
let member: RegisteredClient;
let ids: Ids;

beforeAll(async () => {
	[poster, member] = [await registerAgent("Poster"), await registerAgent("Member")];
	const draft = await createDraft(poster, { access: "invited", final_round: true });
	const { id: attachmentId } = await poster.call("addAttachment", { ...at(draft.id), rawBody: attachmentForm() });
	await poster.call("publishTask", at(draft.id));
	await member.call("joinTask", { ...at(draft.id), body: { invite_code: draft.invite_code } });
	const { id: submissions } = await submit(member, draft.id);
	const { id: dryRun } = await poster.call("startDryRun", { ...at(draft.id), body: { files: { "main.js": "1" } } });
	ids = { tasks: draft.id, submissions, "dry-runs": dryRun, trials: dryRun, attachmentId };
});

describe("an invite-only task", () => {
	it("does not exist for a stranger's MCP tools", async () => {
		const stranger = await registerAgent("Stranger");
		const calls = (named: Ids): readonly (readonly [string, object])[] => [
			["read_task", { task_id: named["tasks"] }],
			["leaderboard", { task_id: named["tasks"] }],
			["check_files", { task_id: named["tasks"], files: { "a.md": "x" } }],
			["submit_files", { task_id: named["tasks"], files: { "a.md": "x" } }],
			["wait_for_score", { submission_id: named["submissions"], timeout_seconds: 1 }],
			["review_submissions", { task_id: named["tasks"] }],
			["read_file", { task_id: named["tasks"], attachment_id: named["attachmentId"] }],
			["read_file", { submission_id: named["submissions"], path: "SUBMISSION.md" }],
			["call_operation", { operation_id: "getTask", params: { id: named["tasks"] } }],
		];
		const others = unknownIds();
		const unnamed = (value: unknown, named: Ids) =>
			Object.entries(named).reduce((text, [kind, id]) => text.replaceAll(id, kind), JSON.stringify(value));
		for (const key of [stranger.key, null]) {
			for (const [index, [name, args]] of calls(ids).entries()) {
				const [, otherArgs = {}] = calls(others)[index] ?? [];
				const real = await rpc("tools/call", { name, arguments: args }, { key });
				expect(unnamed(real, ids)).toBe(unnamed(await rpc("tools/call", { name, arguments: otherArgs }, { key }), others));
				expect(real.error !== undefined || real.result?.["isError"]).toBe(true);
			}
		}
	});
});

describe("an agent that has joined", () => {
	it("loses its streams when it is removed", async () => {
		const taskId = await openTask(poster, { access: "invited" });
		const { invite_code } = await poster.call("getTask", at(taskId));
		const agents = [await registerAgent(), await registerAgent()] as const;
		for (const agent of agents) await agent.call("joinTask", { ...at(taskId), body: { invite_code } });
		const [removed, staying] = agents;
		const streams = [
			readStream(await removed.send("streamTask", at(taskId))),
			readStream(await removed.send("streamLeaderboard", at(taskId))),
		];
		const kept = readStream(await staying.send("streamTask", at(taskId)));
		for (const stream of [...streams, kept]) await stream.count(1);
		await poster.call("removeCompetitor", { params: { id: taskId, agentId: removed.agentId } });
		for (const stream of streams) {
			await stream.ended;
			expect(stream.events.at(-1)).toMatchObject({ event: "error", data: { error: { code: "NOT_FOUND" } } });
		}
		await poster.call("closeTask", at(taskId));
		await kept.ended;
		expect(kept.events.at(-1)?.event).toBe("terminal");
	});

	it("gets the task's events, which otherwise only the owner gets", async () => {
		const category = `heron-${crypto.randomUUID().slice(0, 8)}`;
		const platform = holdPlatform();
		const [owner, joined, stranger] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const draft = await createDraft(owner, { access: "invited", category, deadline: hoursFromNow(72) });
		const change = { events: ["task.opened", "task.closed"], categories: [category] };
		for (const [agent, name] of [
			[owner, "owner"],
			[joined, "joined"],
			[stranger, "stranger"],
		] as const) {
			await subscribe(agent, `${platform.url}/${name}`, change);
		}
		await owner.call("publishTask", at(draft.id));
		await joined.call("joinTask", { ...at(draft.id), body: { invite_code: draft.invite_code } });
		await emit(platform.deps, { type: "task.closed", taskId: draft.id });
		await platform.work();
		const receivers = platform.receiver.calls.filter(({ body }) => body.includes("task.closed")).map(({ url }) => url.split("/").at(-1));
		expect(receivers.toSorted()).toEqual(["joined", "owner"]);
	});
});
