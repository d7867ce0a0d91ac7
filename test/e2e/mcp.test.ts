// Tests the official client library in both revisions of the protocol, over HTTP and over `bounty mcp`: every tool, and the whole
// life of a poster and a competitor with only the tools.
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { buildCli } from "../support/cli-package.ts";
import { openTask, registerCaller } from "../support/http.ts";
import { callTool as call, connectMcp, DOORS, REVISIONS, textOf as text } from "../support/mcp-client.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
beforeAll(() => buildCli());

const CASES = REVISIONS.flatMap(([revision, mode]) => DOORS.map((door) => [revision, door, mode] as const));

const FILES = {
	"SUBMISSION.md":
		"# What I Built\nA parser\n# How To Run\nnode parser.js\n# Architecture\nOne file\n# What Works\nAll\n# Known Limitations\nNone\n# Tradeoffs\nSpeed\n",
	"parser.js": "// quotes, delimiter, newline\nexport const parser = (text) => text.split(',');\n",
};

const connect = (door: (typeof DOORS)[number], mode: "legacy" | "auto", key: string | null = null) =>
	connectMcp(server, { door, mode, key });

const response = z.object({ status: z.number(), body: z.record(z.string(), z.unknown()) });

/** Finds an operation by words, reads its input schema, and calls it. */
async function callOperation(client: Client, query: string, request: { operation_id: string; params?: object; body?: object }) {
	const { operations } = await call(client, "find_operations", { query });
	expect(operations).toEqual(expect.arrayContaining([expect.objectContaining({ operation_id: request.operation_id })]));
	const { document } = await call(client, "find_operations", { operation_id: request.operation_id });
	expect(Object.keys(z.looseObject({ paths: z.looseObject({}) }).parse(document).paths)).toHaveLength(1);
	const { status, body } = response.parse(await call(client, "call_operation", request));
	expect({ status, operation: request.operation_id }).toEqual({
		status: expect.toSatisfy((code: number) => code < 300),
		operation: request.operation_id,
	});
	return body;
}

describe.each(CASES)("the official client in revision %s over %s", (revision, door, mode) => {
	// All calls of `bounty mcp` come from one IP address, whose limit a platform of its own does not share.
	beforeAll(async () => {
		server = await startServer();
	});
	afterAll(() => server?.close());

	it("posts, wins and pays a task", async () => {
		const stranger = await connect(door, mode);
		expect(stranger.getNegotiatedProtocolVersion()).toBe(revision);
		const [poster, agent] = await Promise.all(
			["Acme", "Ada"].map(async (display_name) => connect(door, mode, text(await call(stranger, "register", { display_name }), "api_key"))),
		);
		if (poster === undefined || agent === undefined) throw new Error("Both are connected.");
		for (const client of [poster, agent]) await client.listTools();
		const me = z.object({ agent_id: z.string() }).parse(await callOperation(agent, "who am I", { operation_id: "whoAmI" }));

		const draft = await call(poster, "post_task", {
			title: `Parse CSV files over ${door} by ${mode}`,
			budget_cents: 50_000,
			deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
			criteria: [{ name: "Parser", description: "quotes, delimiter, newline", weight: 100 }],
		});
		const task_id = text(draft, "task_id");
		const published = await call(poster, "publish_task", { task_id });
		expect(published).toMatchObject({ status: "open" });

		const { tasks } = await call(agent, "find_tasks", { query: `"over ${door} by ${mode}"` });
		expect(tasks).toMatchObject([{ task_id }]);
		expect(await call(agent, "read_task", { task_id })).toMatchObject({ criteria: [{ name: "Parser" }] });
		expect(await call(agent, "check_files", { task_id, files: FILES })).toMatchObject({ ok: true });
		const submitted = await call(agent, "submit_files", { task_id, files: FILES });
		const submission_id = text(submitted, "submission_id");
		const repeated = await call(agent, "submit_files", { task_id, files: FILES });
		expect(repeated).toMatchObject({ submission_id, quota: { used: 1 } });
		const judged = await call(agent, "wait_for_score", { submission_id });
		expect(judged).toMatchObject({ done: true, status: "completed" });
		expect(await call(agent, "my_submissions", {})).toMatchObject({ submissions: [{ submission_id }] });
		expect(await call(agent, "leaderboard", { task_id })).toMatchObject({ me: { rank: 1 } });
		expect(await call(agent, "notes", { action: "put", key: "done", value: task_id })).toEqual({ key: "done" });

		expect(await call(poster, "review_submissions", { task_id })).toMatchObject({ submissions: [{ submission_id }] });
		expect(await call(poster, "read_file", { submission_id, path: "parser.js" })).toMatchObject({ text: FILES["parser.js"] });
		const params = { id: task_id };
		await callOperation(poster, "close a task", { operation_id: "closeTask", params });
		const address = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359";
		const wallet = { payout_method: "onchain_usdc", payout_address: address, payout_chain: "base" };
		await callOperation(agent, "set your wallet", { operation_id: "updateWallet", body: wallet });
		const terms = { taskId: task_id, agentId: me.agent_id, dealType: "output_purchase", dealValueCents: 50_000 };
		const deal = await callOperation(poster, "record a deal", { operation_id: "createDeal", body: terms });
		const ofDeal = { params: { id: text(deal, "id") } };
		await callOperation(agent, "accept a deal", { operation_id: "acceptDeal", ...ofDeal });
		await callOperation(poster, "pay a deal", { operation_id: "payDeal", ...ofDeal, body: { payment_reference: "ref" } });
		expect(await callOperation(agent, "confirm a deal", { operation_id: "confirmDeal", ...ofDeal })).toMatchObject({ status: "received" });

		// The hint names a tool that this server has.
		const { tools } = await agent.listTools();
		expect(tools.map(({ name }) => name).slice(16)).toEqual(door === "HTTP" ? [] : ["submit_folder"]);
		for (const { next } of [draft, published, submitted, judged]) {
			expect(next).not.toMatch(/\b(GET|POST|PUT|PATCH|DELETE) \//);
			expect(tools.some(({ name }) => String(next).includes(name))).toBe(true);
		}
	});

	it("reads resources and the prompt without a key", async () => {
		const client = await connect(door, mode);
		const { resources } = await client.listResources();
		const [first] = resources;
		expect(await client.readResource({ uri: first?.uri ?? "" })).toMatchObject({ contents: [{ mimeType: "text/markdown" }] });
		expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["compete"]);
		expect(JSON.stringify(await client.getPrompt({ name: "compete" }))).toContain("submit_files");
	});

	it("gets errors in results, and is rejected with a wrong key", async () => {
		const client = await connect(door, mode);
		const refused = await client.callTool({ name: "read_task", arguments: { task_id: crypto.randomUUID() } });
		expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("NOT_FOUND") }] });
		await expect(client.callTool({ name: "my_submissions", arguments: {} })).rejects.toThrow(/register/);
		await expect(connect(door, mode, `svc_sk_${"0".repeat(64)}`)).rejects.toThrow();
	});

	it("gets progress while it waits, and can cancel", async () => {
		const poster = await registerCaller(server);
		const task = await openTask(poster);
		const { id: submission_id } = await poster.call<{ id: string }>("POST", `/api/v1/tasks/${task}/submissions`, {});
		const client = await connect(door, mode, poster.key);
		const leaving = new AbortController();
		const waiting = client.callTool(
			{ name: "wait_for_score", arguments: { submission_id, timeout_seconds: 200 } },
			{ signal: leaving.signal, onprogress: ({ message }) => leaving.abort(new Error(message)) },
		);
		await expect(waiting).rejects.toThrow("registered");
		const again = await call(client, "wait_for_score", { submission_id, timeout_seconds: 0 });
		expect(again).toMatchObject({ done: false, status: "registered" });
	});
});
