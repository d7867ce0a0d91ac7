// Export and erasure of an agent: everything that the platform stores is searched for what the agent has left behind.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { topicName } from "../../src/domain/topics.ts";
import { restoreAgent } from "../../src/features/admin/contract.ts";
import { updateProfile, whoAmI } from "../../src/features/agents/contract.ts";
import { streamLeaderboard } from "../../src/features/competition/streams/contract.ts";
import { createDeal, disputeDeal } from "../../src/features/deals/contract.ts";
import { getLeaderboard } from "../../src/features/leaderboard/contract.ts";
import { eraseAgent, exportAgent } from "../../src/features/privacy/contract.ts";
import { getSubmissionStatus } from "../../src/features/submissions/contract.ts";
import { closeTask } from "../../src/features/tasks/contract.ts";
import { updateWallet } from "../../src/features/wallet/contract.ts";
import { createWebhook } from "../../src/features/webhooks/contract.ts";
import { putEntry, storeFile } from "../../src/features/workspace/contract.ts";
import { admin } from "../support/admin.ts";
import { createClient } from "../support/client.ts";
import { awaitEvaluation, createDraft, GOOD_FILES, openTask, registerAgent, submit } from "../support/scenario.ts";

const at = (id: string) => ({ params: { id } });
const act = (id: string) => ({ ...at(id), body: { reason: "They asked for it." } });

/** An agent that has left its mark wherever it could. */
async function makeAgent() {
	const mark = `Quint${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
	const wallet = `0x${crypto.randomUUID().replaceAll("-", "")}12345678`;
	const host = `${mark.toLowerCase()}.example.com`;
	const [poster, agent] = [await registerAgent("Poster"), await registerAgent(`${mark} Robotics`)];
	await agent.call(updateProfile, { body: { bio: `I am ${mark}.`, specialization_tags: [`${mark.toLowerCase()}ism`] } });
	await agent.call(updateWallet, { body: { payout_method: "onchain_usdc", payout_address: wallet, payout_chain: "base" } });
	const { id: webhookId } = await agent.call(createWebhook, { body: { url: `https://${host}/hook`, events: ["submission.completed"] } });
	const { id: postersWebhookId } = await poster.call(createWebhook, {
		body: { url: "https://poster.example.com/hook", events: ["evaluation.completed", "task.closed"] },
	});
	await agent.call(putEntry, { params: { key: "notes" }, body: { value: `${mark} notes` } });
	await agent.call(storeFile, { body: { path: "a.txt", content_base64: btoa(`${mark} file`) } });
	await createDraft(agent, { title: `${mark} draft`, description: mark });
	const taskId = await openTask(poster);
	const files = { ...GOOD_FILES, "notes.md": `Written by ${mark}` };
	// Somebody watches, so the topic stores what the leaderboard shows.
	const watched = await poster.send(streamLeaderboard, at(taskId));
	const { id: submissionId } = await submit(agent, taskId, files);
	await awaitEvaluation(agent, submissionId);
	// Names are revealed at the end.
	await poster.call(closeTask, at(taskId));
	await awaitTopic(taskId, mark);
	await watched.body?.cancel();
	const { id: dealId } = await poster.call(createDeal, {
		body: { taskId, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 100 },
	});
	await poster.call(disputeDeal, { ...at(dealId), body: { reason: `${mark} delivered nothing.` } });
	const webhookIds = [webhookId, postersWebhookId] as const;
	await expect
		.poll(() => readLogs(webhookIds))
		.toMatchObject([
			[{ eventType: "submission.completed" }, {}],
			[{}, {}, {}],
		]);
	return { poster, agent, taskId, submissionId, mark, wallet, host, webhookIds };
}

/** What the objects of webhooks have delivered, each newest first. */
const readLogs = (webhookIds: readonly string[]) =>
	Promise.all(webhookIds.map((id) => env.WEBHOOK_SENDER.getByName(id).listDeliveries({ before: null, limit: 100 })));

async function awaitTopic(taskId: string, mark: string): Promise<void> {
	await expect.poll(() => readTopic(taskId), { timeout: 10_000, interval: 200 }).toContain(mark);
}

/** What the topic of a task's leaderboard has stored: nothing at all once its watchers have gone. */
function readTopic(taskId: string): Promise<string> {
	const topic = env.TOPIC.getByName(topicName({ kind: "leaderboard", id: taskId }));
	return runInDurableObject(topic, (_, { storage: { sql } }) => {
		const isWatched = sql.exec("select 1 from sqlite_master where name = 'entries'").toArray().length > 0;
		return isWatched ? JSON.stringify(sql.exec("select data from entries").toArray()) : "";
	});
}

/** Every row of the databases, every object of the bucket and every workspace entry, as text. */
async function dump(agentId: string): Promise<string> {
	const texts: string[] = [];
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
		const { agent, submissionId, mark, wallet, host, webhookIds } = await makeAgent();
		const data = await admin.call(exportAgent, at(agent.agentId));
		expect(data.tables["agents"]).toMatchObject([{ id: agent.agentId, display_name: `${mark} Robotics`, payout_address: wallet }]);
		expect(data.tables["submissions"]).toMatchObject([{ id: submissionId }]);
		expect(data.tables["webhooks"]).toMatchObject([{ url: `https://${host}/hook` }]);
		expect(data.tables["webhook_deliveries"]).toMatchObject([
			{ webhook_id: webhookIds[0], event_type: "submission.completed", body: expect.stringContaining(submissionId) },
			{ webhook_id: webhookIds[0], event_type: "webhook.test" },
		]);
		expect(data.workspace).toMatchObject({ entries: [{ key: "notes", value: `${mark} notes` }], files: [{ path: "a.txt" }] });
		for (const object of data.objects) expect(await env.BUCKET.head(object)).not.toBeNull();
		expect(data.objects.map((key) => key.split("/")[0]).toSorted()).toEqual(["artifacts", "reports", "workspace"]);
		expect(data.truncated).toEqual([]);
		const text = JSON.stringify(data);
		expect(text).not.toMatch(/_sealed|"hash"|_hash"/);
		await admin.refused(exportAgent, "NOT_FOUND", at("01900000-0000-7000-8000-000000000000"));
	});
});

describe("the erasure of an agent", () => {
	it("leaves nothing that identifies it anywhere, and its scores under a pseudonym", async () => {
		const { poster, agent, taskId, submissionId, mark, wallet, host, webhookIds } = await makeAgent();
		const prefix = agent.key.slice(0, 16);
		const before = await dump(agent.agentId);
		const texts = [mark, `${mark.toLowerCase()}ism`, host, prefix, wallet];
		for (const text of texts) expect(before).toContain(text);
		const { entries } = await poster.call(getLeaderboard, at(taskId));
		const { pseudonym, deleted_objects } = await admin.call(eraseAgent, act(agent.agentId));
		expect(deleted_objects).toBeGreaterThanOrEqual(3);
		const after = await dump(agent.agentId);
		for (const text of texts) expect(after.split("\n").filter((line) => line.includes(text))).toEqual([]);

		// What others were told about the agent goes too, and nothing else of theirs.
		const [own, posters] = await readLogs(webhookIds);
		expect([own, posters?.map(({ eventType }) => eventType)]).toEqual([[], ["task.closed", "webhook.test"]]);

		const board = await poster.call(getLeaderboard, at(taskId));
		expect(board.entries).toMatchObject([{ agentName: pseudonym, finalScore: entries[0]?.finalScore, submissionId }]);
		expect((await createClient().call(getSubmissionStatus, at(submissionId))).scores?.final_score).toBe(entries[0]?.finalScore);
		await agent.refused(whoAmI, "unauthorized");
		await admin.refused(restoreAgent, "CONFLICT", act(agent.agentId));
		const again = await admin.call(eraseAgent, act(agent.agentId));
		expect(again.pseudonym).toBe(pseudonym);
		expect(await readTopic(taskId)).not.toContain(mark);
		await admin.refused(eraseAgent, "INVALID_BODY", { ...at(agent.agentId), body: {} });
	});
});
