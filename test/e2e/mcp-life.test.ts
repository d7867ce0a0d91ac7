// Tests the whole life of a poster and a competitor, with only the URL of the MCP server and its tools, to a confirmed deal.
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { buildCli } from "../support/cli-package.ts";
import { callTool, connectMcp, DOORS, textOf } from "../support/mcp-client.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
beforeAll(async () => {
	[server] = await Promise.all([startServer(), buildCli()]);
});
afterAll(() => server?.close());

const FILES = {
	"SUBMISSION.md":
		"# What I Built\nA parser\n# How To Run\nnode parser.js\n# Architecture\nOne file\n# What Works\nAll\n# Known Limitations\nNone\n# Tradeoffs\nSpeed\n",
	"parser.js": "// quotes, delimiter, newline\nexport const parser = (text) => text.split(',');\n",
};
const response = z.object({ status: z.number(), body: z.record(z.string(), z.unknown()) });

/** Finds an operation by words, reads its input schema, and calls it. */
async function callOperation(client: Client, query: string, call: { operation_id: string; params?: object; body?: object }) {
	const { operations } = await callTool(client, "find_operations", { query });
	expect(operations).toEqual(expect.arrayContaining([expect.objectContaining({ operation_id: call.operation_id })]));
	const { document } = await callTool(client, "find_operations", { operation_id: call.operation_id });
	expect(Object.keys(z.looseObject({ paths: z.looseObject({}) }).parse(document).paths)).toHaveLength(1);
	const { status, body } = response.parse(await callTool(client, "call_operation", call));
	expect({ status, call: call.operation_id }).toEqual({ status: expect.toSatisfy((code: number) => code < 300), call: call.operation_id });
	return body;
}

describe.each(DOORS)("MCP over %s", (door) => {
	it("suffices to post, win and pay a task", async () => {
		const connect = (key?: string) => connectMcp(server, { door, mode: "auto", key: key ?? null });
		const stranger = await connect();
		const [poster, agent] = await Promise.all(
			["Acme", "Ada"].map(async (display_name) => connect(textOf(await callTool(stranger, "register", { display_name }), "api_key"))),
		);
		if (poster === undefined || agent === undefined) throw new Error("Both are connected.");
		for (const client of [poster, agent]) await client.listTools();
		const me = z.object({ agent_id: z.string() }).parse(await callOperation(agent, "who am I", { operation_id: "whoAmI" }));

		const draft = await callTool(poster, "post_task", {
			title: `Parse CSV files over ${door}`,
			budget_cents: 50_000,
			deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
			criteria: [{ name: "Parser", description: "quotes, delimiter, newline", weight: 100 }],
		});
		const task_id = textOf(draft, "task_id");
		const published = await callTool(poster, "publish_task", { task_id });
		expect(published).toMatchObject({ status: "open" });

		const { tasks } = await callTool(agent, "find_tasks", { query: `"over ${door}"` });
		expect(tasks).toMatchObject([{ task_id }]);
		expect(await callTool(agent, "read_task", { task_id })).toMatchObject({ criteria: [{ name: "Parser" }] });
		expect(await callTool(agent, "check_files", { task_id, files: FILES })).toMatchObject({ ok: true });
		const submitted = await callTool(agent, "submit_files", { task_id, files: FILES });
		const submission_id = textOf(submitted, "submission_id");
		const repeated = await callTool(agent, "submit_files", { task_id, files: FILES });
		expect(repeated).toMatchObject({ submission_id, quota: { used: 1 } });
		const judged = await callTool(agent, "wait_for_score", { submission_id });
		expect(judged).toMatchObject({ done: true, status: "completed" });
		expect(await callTool(agent, "leaderboard", { task_id })).toMatchObject({ me: { rank: 1 } });

		expect(await callTool(poster, "review_submissions", { task_id })).toMatchObject({ submissions: [{ submission_id }] });
		expect(await callTool(poster, "read_file", { submission_id, path: "parser.js" })).toMatchObject({ text: FILES["parser.js"] });
		const params = { id: task_id };
		await callOperation(poster, "close a task", { operation_id: "closeTask", params });
		const address = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359";
		const wallet = { payout_method: "onchain_usdc", payout_address: address, payout_chain: "base" };
		await callOperation(agent, "set your wallet", { operation_id: "updateWallet", body: wallet });
		const terms = { taskId: task_id, agentId: me.agent_id, dealType: "output_purchase", dealValueCents: 50_000 };
		const deal = await callOperation(poster, "record a deal", { operation_id: "createDeal", body: terms });
		const ofDeal = { params: { id: textOf(deal, "id") } };
		await callOperation(agent, "accept a deal", { operation_id: "acceptDeal", ...ofDeal });
		await callOperation(poster, "pay a deal", { operation_id: "payDeal", ...ofDeal, body: { payment_reference: "ref" } });
		expect(await callOperation(agent, "confirm a deal", { operation_id: "confirmDeal", ...ofDeal })).toMatchObject({ status: "received" });

		// The hint names a tool that this server has.
		const { tools } = await agent.listTools();
		for (const { next } of [draft, published, submitted, judged]) {
			expect(next).not.toMatch(/\b(GET|POST|PUT|PATCH|DELETE) \//);
			expect(tools.some(({ name }) => String(next).includes(name))).toBe(true);
		}
	}, 90_000);
});
