// Tests export and erasure of an agent: the test searches everything that the platform stores for the agent's data.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import { createClient } from "../../support/client.ts";
import { awaitEvaluation, createDraft, GOOD_FILES, openTask, registerAgent, submit } from "../../support/scenario.ts";
import { snapshotTask } from "../../support/task-object.ts";

const at = (id: string) => ({ params: { id } });
const act = (id: string) => ({ ...at(id), body: { reason: "They asked for it." } });

/** Creates an agent that has data everywhere that an agent can. */
async function makeAgent() {
	const mark = `Quint${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
	const wallet = `0x${crypto.randomUUID().replaceAll("-", "")}12345678`;
	const host = `${mark.toLowerCase()}.example`;
	const [poster, agent] = [await registerAgent("Poster"), await registerAgent(`${mark} Robotics`)];
	await agent.call("updateProfile", { body: { bio: `I am ${mark}.`, specialization_tags: [`${mark.toLowerCase()}ism`] } });
	await agent.call("updateWallet", { body: { payout_method: "onchain_usdc", payout_address: wallet, payout_chain: "base" } });
	const { id: webhookId } = await agent.call("createWebhook", { body: { url: `https://${host}/hook`, events: ["submission.completed"] } });
	const { id: postersWebhookId } = await poster.call("createWebhook", {
		body: { url: "https://poster.example.com/hook", events: ["evaluation.completed", "task.closed"] },
	});
	await agent.call("putWorkspaceEntry", { params: { key: "notes" }, body: { value: `${mark} notes` } });
	await agent.call("storeWorkspaceFile", { body: { path: "a.txt", content_base64: btoa(`${mark} file`) } });
	const { id: draftId } = await createDraft(agent, { title: `${mark} draft`, description: mark });
	const ownTaskId = await openTask(agent, { eval_mode: "external", eval_callback_url: `https://${host}/judge` });
	const { id: practised } = await createDraft(agent, { title: "Dry" });
	await agent.call("startDryRun", { ...at(practised), body: { files: { ...GOOD_FILES, "notes.md": `Written by ${mark}` }, name: mark } });
	const taskId = await openTask(poster);
	const files = { ...GOOD_FILES, "notes.md": `Written by ${mark}` };
	const { id: submissionId } = await submit(agent, taskId, files);
	await awaitEvaluation(agent, submissionId);
	// Closing the task reveals names.
	await poster.call("closeTask", at(taskId));
	const { id: dealId } = await poster.call("createDeal", {
		body: { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 100 },
	});
	await poster.call("disputeDeal", { ...at(dealId), body: { reason: `${mark} delivered nothing.` } });
	const webhookIds = [webhookId, postersWebhookId] as const;
	await expect
		.poll(() => readLogs(webhookIds))
		.toMatchObject([
			[{ eventType: "submission.completed" }, {}],
			[{}, {}, {}],
		]);
	const taskIds = [taskId, draftId, ownTaskId, practised];
	await expect.poll(async () => (await Promise.all(taskIds.map(snapshotTask))).map(runningJobs)).toEqual(taskIds.map(() => []));
	return { poster, agent, taskId, taskIds, draftId, ownTaskId, submissionId, mark, wallet, host, webhookIds };
}

const runningJobs = (tables: Readonly<Record<string, unknown>>) => tables["jobs"] ?? [];

/** Returns the deliveries of the objects of webhooks, each newest first. */
const readLogs = (webhookIds: readonly string[]) =>
	Promise.all(webhookIds.map((id) => env.WEBHOOK_SENDER.getByName(id).listDeliveries({ before: null, limit: 100 })));

/** Returns every row of the databases and of the tasks, every object of the bucket and every workspace entry, as text. */
async function dump(agentId: string, taskIds: readonly string[]): Promise<string> {
	const texts: string[] = [];
	for (const taskId of taskIds)
		texts.push(...Object.entries(await snapshotTask(taskId)).map(([name, rows]) => `${name} ${JSON.stringify(rows)}`));
	for (const db of [env.DB, env.SEARCH]) {
		const { results: tables } = await db
			.prepare(
				"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%task_search%' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
			)
			.all<{ name: string }>();
		for (const { name } of tables) texts.push(`${name} ${JSON.stringify((await db.prepare(`SELECT * FROM "${name}"`).all()).results)}`);
	}
	for (const { key } of (await env.BUCKET.list()).objects) texts.push(key, (await (await env.BUCKET.get(key))?.text()) ?? "");
	const workspace = env.WORKSPACE.getByName(agentId);
	texts.push(
		JSON.stringify(await workspace.listEntries({ prefix: "", after: null, limit: 100 })),
		JSON.stringify(await workspace.readUsage()),
	);
	return texts.join("\n");
}

describe("the export of an agent", () => {
	it("has everything that the agent left, and no secrets", async () => {
		const { agent, taskId, taskIds, draftId, ownTaskId, submissionId, mark, wallet, host, webhookIds } = await makeAgent();
		const data = await admin.call("exportAgent", at(agent.agentId));
		const [entry] = (await admin.call("listAuditEntries", { query: { limit: 1 } })).data;
		expect(entry).toMatchObject({ action: "agent.export", target: agent.agentId });
		expect(data.tables["agents"]).toMatchObject([{ id: agent.agentId, display_name: `${mark} Robotics`, payout_address: wallet }]);
		const rowsOf = (id: string, name: string) =>
			data.tasks.filter(({ task_id, table }) => task_id === id && table === name).flatMap(({ rows }) => rows);
		expect([...new Set(data.tasks.map(({ task_id }) => task_id))].toSorted()).toEqual(taskIds.toSorted());
		expect(rowsOf(taskId, "submissions")).toMatchObject([{ id: submissionId, agent_display_name: `${mark} Robotics` }]);
		expect(rowsOf(taskId, "evaluations")).toMatchObject([{ submission_id: submissionId }]);
		expect(rowsOf(taskId, "tasks")).toEqual([]);
		expect(rowsOf(draftId, "tasks")).toMatchObject([{ title: `${mark} draft` }]);
		expect(rowsOf(ownTaskId, "tasks")).toMatchObject([{ eval_callback_url: `https://${host}/judge` }]);
		expect(data.tables["webhooks"]).toMatchObject([{ url: `https://${host}/hook` }]);
		expect(data.tables["webhook_deliveries"]).toMatchObject([
			{ webhook_id: webhookIds[0], event_type: "submission.completed", body: expect.stringContaining(submissionId) },
			{ webhook_id: webhookIds[0], event_type: "webhook.test" },
		]);
		expect(data.workspace).toMatchObject({ entries: [{ key: "notes", value: `${mark} notes` }], files: [{ path: "a.txt" }] });
		for (const object of data.objects) expect(await env.BUCKET.head(object)).not.toBeNull();
		expect(data.objects.map((key) => key.split("/")[0]).toSorted()).toEqual(["tasks", "tasks", "workspace"]);
		expect(data.truncated).toEqual([]);
		const text = JSON.stringify(data);
		expect(text).not.toMatch(/_encrypted|"hash"|_hash"/);
		await admin.refused("exportAgent", "NOT_FOUND", at("01900000-0000-7000-8000-000000000000"));
	});
});

describe("the erasure of an agent", () => {
	it("leaves nothing that identifies it, and keeps its scores under a pseudonym", async () => {
		const { poster, agent, taskId, taskIds, draftId, submissionId, mark, wallet, host, webhookIds } = await makeAgent();
		const prefix = agent.key.slice(0, 16);
		const before = await dump(agent.agentId, taskIds);
		const texts = [mark, `${mark.toLowerCase()}ism`, host, prefix, wallet];
		for (const text of texts) expect(before).toContain(text);
		const { entries } = await poster.call("getLeaderboard", at(taskId));
		const { pseudonym, deleted_objects } = await admin.call("eraseAgent", act(agent.agentId));
		expect(deleted_objects).toBeGreaterThanOrEqual(2);
		const after = await dump(agent.agentId, taskIds);
		for (const text of texts) expect(after.split("\n").filter((line) => line.includes(text))).toEqual([]);

		// Messages to others about the agent are deleted too, but none of their other messages.
		const [own, posters] = await readLogs(webhookIds);
		expect([own, posters?.map(({ eventType }) => eventType)]).toEqual([[], ["task.closed", "webhook.test"]]);

		const board = await poster.call("getLeaderboard", at(taskId));
		expect(board.entries).toMatchObject([{ agentName: pseudonym, finalScore: entries[0]?.finalScore, submissionId }]);
		expect((await createClient().call("getSubmissionStatus", at(submissionId))).scores?.final_score).toBe(entries[0]?.finalScore);
		await agent.refused("whoAmI", "unauthorized");
		await admin.refused("restoreAgent", "CONFLICT", act(agent.agentId));
		const again = await admin.call("eraseAgent", act(agent.agentId));
		expect(again.pseudonym).toBe(pseudonym);
		expect(await snapshotTask(draftId)).toEqual({});
		await admin.refused("eraseAgent", "INVALID_BODY", { ...at(agent.agentId), body: {} });
	});
});
