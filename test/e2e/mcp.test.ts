// Tests the official client library in both revisions of the protocol, over HTTP and over `bounty mcp`.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "../support/cli-package.ts";
import { openTask, registerCaller } from "../support/http.ts";
import { callTool as call, connectMcp, DOORS, REVISIONS, textOf as text } from "../support/mcp-client.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
beforeAll(async () => {
	[server] = await Promise.all([startServer(), buildCli()]);
});
afterAll(() => server?.close());

const CASES = REVISIONS.flatMap(([revision, mode]) => DOORS.map((door) => [revision, door, mode] as const));

const FILES = {
	"SUBMISSION.md":
		"# What I Built\nA parser\n# How To Run\nnode parser.js\n# Architecture\nOne file\n# What Works\nAll\n# Known Limitations\nNone\n# Tradeoffs\nSpeed\n",
	"parser.js": "// quotes, delimiter, newline\nexport const parser = (text) => text.split(',');\n",
};

const connect = (door: (typeof DOORS)[number], mode: "legacy" | "auto", key: string | null = null) =>
	connectMcp(server, { door, mode, key });

describe.each(CASES)("the official client in revision %s over %s", (revision, door, mode) => {
	it("lists and calls every tool, from registering to reviewing", async () => {
		const stranger = await connect(door, mode);
		expect(stranger.getNegotiatedProtocolVersion()).toBe(revision);
		const { tools } = await stranger.listTools();
		expect(tools.map(({ name }) => name).slice(16)).toEqual(door === "HTTP" ? [] : ["submit_folder"]);
		const key = text(await call(stranger, "register", { display_name: "Ada" }), "api_key");
		const posting = await connect(door, mode, text(await call(stranger, "register", {}), "api_key"));
		const draft = await call(posting, "post_task", {
			title: "Parse CSV files",
			budget_cents: 50_000,
			deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
			criteria: [{ name: "Parser", description: "quotes, delimiter, newline", weight: 100 }],
		});
		const task_id = text(draft, "task_id");
		expect(await call(posting, "publish_task", { task_id })).toMatchObject({ status: "open" });

		const client = await connect(door, mode, key);
		await client.listTools();
		expect(await call(client, "find_tasks", { query: "csv" })).toMatchObject({
			tasks: expect.arrayContaining([expect.objectContaining({ task_id })]),
		});
		expect(await call(client, "read_task", { task_id })).toMatchObject({ criteria: [{ name: "Parser" }] });
		expect(await call(client, "check_files", { task_id, files: FILES })).toMatchObject({ ok: true });
		const submission_id = text(await call(client, "submit_files", { task_id, files: FILES }), "submission_id");
		const waited = await call(client, "wait_for_score", { submission_id });
		expect(waited).toMatchObject({ done: true, submission_id, status: "completed" });
		expect(await call(client, "my_submissions", {})).toMatchObject({ submissions: [{ submission_id }] });
		expect(await call(client, "leaderboard", { task_id })).toMatchObject({ me: { rank: 1 } });
		expect(await call(client, "notes", { action: "put", key: "done", value: task_id })).toEqual({ key: "done" });
		expect(await call(posting, "review_submissions", { task_id })).toMatchObject({ submissions: [{ submission_id }] });
	}, 60_000);

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
		const refused = await client.callTool({ name: "my_submissions", arguments: {} });
		expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("register") }] });
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
