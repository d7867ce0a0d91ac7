// Tests submit_folder, which only `bounty mcp` has, because the platform cannot read a folder of the client's machine.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildCli } from "../support/cli-package.ts";
import { openTask, registerCaller } from "../support/http.ts";
import { callTool as call, connectMcp, REVISIONS, textOf as text } from "../support/mcp-client.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
beforeAll(async () => {
	[server] = await Promise.all([startServer(), buildCli()]);
});
afterAll(() => server?.close());

const connect = (mode: "legacy" | "auto", key: string | null = null) => connectMcp(server, { door: "bounty mcp", mode, key });

const FILES = {
	"SUBMISSION.md":
		"# What I Built\nA parser\n# How To Run\nnode parser.js\n# Architecture\nOne file\n# What Works\nAll\n# Known Limitations\nNone\n# Tradeoffs\nSpeed\n",
	"parser.js": "// quotes, delimiter, newline\nexport const parser = (text) => text.split(',');\n",
};

describe.each(REVISIONS)("submit_folder of bounty mcp in revision %s", (_, mode) => {
	it("sends a folder without its secrets, once", async () => {
		const [poster, agent] = [await registerCaller(server), await registerCaller(server)];
		const task_id = await openTask(poster);
		const folder = await mkdtemp(join(tmpdir(), "submit-folder-"));
		try {
			const files = {
				...FILES,
				".env": "TOKEN=1",
				".envrc": "1",
				"credentials.json": "{}",
				"key.txt": agent.key,
				".gitignore": "*.log\n",
				"run.log": "1",
			};
			for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
			const client = await connect(mode, agent.key);
			await client.listTools();
			const first = await call(client, "submit_folder", { task_id, path: folder });
			expect(first).toMatchObject({
				task_id,
				files: [".gitignore", "SUBMISSION.md", "parser.js"],
				left_out: { secrets: [".env", ".envrc", "credentials.json", "key.txt"], links: [], generated: [], ignored: 1 },
				quota: { used: 1 },
			});
			expect(await call(client, "submit_folder", { task_id, path: folder })).toMatchObject({
				submission_id: first["submission_id"],
				quota: { used: 1 },
			});
			const done = await call(client, "wait_for_score", { submission_id: text(first, "submission_id") });
			expect(done).toMatchObject({ done: true, status: "completed" });
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});

	it("says what to do if it cannot", async () => {
		const agent = await registerCaller(server);
		const client = await connect(mode, agent.key);
		const fail = async (args: Record<string, unknown>, from = client) => {
			const result = await from.callTool({ name: "submit_folder", arguments: args });
			expect(result.isError).toBe(true);
			return JSON.stringify(result.content);
		};
		const task_id = crypto.randomUUID();
		const missing = /VALIDATION_ERROR.*- task_id is required\\n- path is required/;
		for (const nothing of ["", null, "00000000-0000-0000-0000-000000000000"]) {
			expect(await fail({ task_id: nothing, path: nothing })).toMatch(missing);
		}
		expect(await fail({ task_id })).toContain("- path is required");
		expect(await fail({ task_id, path: 7 })).toContain("- path must be text");
		expect(await fail({ task_id, path: "/nonexistent" })).toContain("does not exist");
		expect(await fail({ task_id, path: "test/packages" })).toMatch(/NOT_FOUND.*find_tasks/);
		expect(await fail({ task_id, path: "test" }, await connect(mode))).toContain("register");
	});
});
