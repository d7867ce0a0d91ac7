// Tests the MCP server: what it lists and what its tools return, in both revisions of the protocol.
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createClient } from "../../support/client.ts";
import { call, ERAS, failure, listTools, type McpOptions, messagesOf, result, rpc, send, tool } from "../../support/mcp.ts";
import {
	attachmentForm,
	awaitEvaluation,
	createDraft,
	GOOD_FILES,
	openTask,
	registerAgent,
	submit,
	taskInput,
} from "../../support/scenario.ts";

const NAMES = [
	...["find_tasks", "read_task", "check_files", "submit_files", "wait_for_score", "my_submissions", "leaderboard"],
	...["register", "post_task", "publish_task", "review_submissions", "notes"],
	...["read_file", "search_docs", "find_operations", "call_operation"],
];
const MAX_LIST_BYTES = 22_000;

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const listed = z.object({
	tools: z.array(z.looseObject({ name: z.string(), outputSchema: z.looseObject({}), annotations: z.looseObject({}) })),
});
const ajv = new Ajv2020({ strict: false, validateFormats: false });

describe.each(ERAS)("the MCP server in revision %s", (era) => {
	const own = { era, key: agent.key };

	it("lists 16 tools with both schemas and all annotations in less than 22 KB, without a key", async () => {
		const list = await result("tools/list", {}, { era });
		expect(JSON.stringify(list).length).toBeLessThan(MAX_LIST_BYTES);
		const { tools } = listed.parse(list);
		expect(tools.map(({ name }) => name)).toEqual(NAMES);
		for (const item of tools) {
			expect(item).toMatchObject({ inputSchema: { type: "object" }, outputSchema: { type: "object" } });
			expect(Object.keys(item.annotations).toSorted()).toEqual(["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"]);
		}
	});

	it("stores and returns notes", async () => {
		const value = { tried: ["a", 1, null, ""] };
		for (const [given, stored] of [
			[{ value: "a text" }, "a text"],
			[{ value: "" }, ""],
			[{ value: "", value_json: JSON.stringify(value) }, value],
			[{ value_json: value }, value],
		] as const) {
			expect(await call("notes", { action: "put", key: "plans/next", ...given }, own)).toEqual({ key: "plans/next" });
			expect(await call("notes", { action: "get", key: "plans/next" }, own)).toEqual({ key: "plans/next", value: stored });
		}
		expect(await call("notes", { action: "list" }, own)).toMatchObject({ notes: [{ key: "plans/next" }] });
		expect(await call("notes", { action: "delete", key: "plans/next" }, own)).toEqual({ key: "plans/next", deleted: true });
		expect(await failure("notes", { action: "get", key: "plans/next" }, own)).toMatch(/^NOT_FOUND: /);
		expect(await failure("notes", { action: "get" }, own)).toContain("key is required");
		expect(await failure("notes", { action: "put", key: "k" }, own)).toContain("value is required");
		expect(await failure("notes", { action: "put", key: "k", value_json: "{" }, own)).toContain("value_json must be JSON text");
		expect(await failure("notes", { action: "put", key: "k", value: "a", value_json: "1" }, own)).toContain("value must be empty");
		for (const key of ["..", ".", "a/../b", "../../tasks", ""]) {
			expect(await failure("notes", { action: "get", key }, own)).toMatch(/^VALIDATION_ERROR: /);
		}
	});

	it("stores no number that reading the message or an argument has changed", async () => {
		const put = { operation_id: "putWorkspaceEntry", params: [{ name: "key", value: "big" }] };
		expect(await failure("notes", { action: "put", key: "big", value_json: '{"a":[1,9007199254740993]}' }, own)).toMatch(
			/^INVALID_BODY: value_json\.a\[1\] is 9007199254740993/,
		);
		expect(await failure("call_operation", { ...put, body: '{"value":{"a":1e400}}' }, own)).toMatch(
			/^INVALID_BODY: body\.value\.a is 1e400/,
		);
		const plain = {
			jsonrpc: "2.0",
			id: 1,
			method: "tools/call",
			params: { name: "call_operation", arguments: { ...put, body: { value: 7 } } },
		};
		const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
		const sent = JSON.stringify(plain).replace("7}", "9007199254740993}");
		const response = await createClient({ key: poster.key }).send("callMcp", { rawBody: sent, headers });
		expect(await response.text()).toMatch(/INVALID_BODY: body\.value is 9007199254740993/);
		expect(await failure("notes", { action: "get", key: "big" }, own)).toMatch(/^NOT_FOUND: /);
	});

	it("reads public data without a key", async () => {
		const task_id = await openTask(poster);
		await awaitEvaluation(agent, (await submit(agent, task_id)).id);
		expect(await call("find_tasks", { limit: 1 }, { era })).toMatchObject({ tasks: [{}] });
		expect(await call("read_task", { task_id }, { era })).toMatchObject({ task_id, status: "open" });
		expect(await call("leaderboard", { task_id }, { era })).toMatchObject({ entries: [{ rank: 1 }], me: null });
	});

	it("names register if a tool needs a key and gets none", async () => {
		const task_id = await openTask(poster);
		const calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
			["find_tasks", { query: "csv" }],
			["check_files", { task_id, files: GOOD_FILES }],
			["submit_files", { task_id, files: GOOD_FILES }],
			["wait_for_score", { submission_id: task_id }],
			["my_submissions", {}],
			["post_task", taskInput()],
			["publish_task", { task_id }],
			["review_submissions", { task_id }],
			["notes", { action: "list" }],
			["read_file", { submission_id: task_id, path: "a" }],
			["call_operation", { operation_id: "whoAmI" }],
		];
		for (const [name, args] of calls) {
			const response = await send("tools/call", { name, arguments: args }, { era });
			expect({ name, status: response.status, challenge: response.headers.get("WWW-Authenticate") }).toEqual({
				name,
				status: 401,
				challenge: `Bearer realm="bounty-platform", resource_metadata="https://bounty.test/.well-known/oauth-protected-resource/mcp"`,
			});
			expect(await response.json()).toEqual({
				jsonrpc: "2.0",
				id: 1,
				error: {
					code: -32_000,
					message: expect.stringMatching(/^unauthorized: [\s\S]*Next: call register/),
					data: { code: "unauthorized", retry_after_seconds: null },
				},
			});
		}
	});

	it("refuses a wrong key with 401, for any message", async () => {
		const wrong = { era, key: `svc_sk_${"0".repeat(64)}` };
		const calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
			["tools/list", {}],
			["prompts/get", { name: "compete" }],
			["tools/call", { name: "find_tasks", arguments: {} }],
			["tools/call", { name: "wait_for_score", arguments: { submission_id: poster.agentId } }],
		];
		for (const [method, params] of calls) {
			const response = await send(method, params, wrong);
			expect({ method, status: response.status }).toEqual({ method, status: 401 });
			expect(response.headers.get("WWW-Authenticate")).toContain("Bearer");
			expect(await response.json()).toMatchObject({ id: 1, error: { code: -32_000, data: { code: "unauthorized" } } });
		}
	});

	it("says what to do next in its errors", async () => {
		const task_id = await openTask(poster);
		const { id: draft } = await createDraft(poster);
		expect(await failure("read_task", { task_id: draft }, own)).toMatch(/^NOT_FOUND: [\s\S]*Next: [\s\S]*find_tasks/);
		expect(await failure("publish_task", { task_id }, own)).toMatch(/^FORBIDDEN: [\s\S]*Next: /);
		expect(await failure("publish_task", { task_id }, { era, key: poster.key })).toMatch(
			/^INVALID_TRANSITION: [\s\S]*Next: [\s\S]*read_task/,
		);
		expect(await failure("post_task", taskInput({ budget_cents: 5 }), own)).toContain("budget_cents must be at least 10000");
		expect(await failure("find_tasks", { limit: 5_000 }, own)).toContain("limit must be");
		expect(await failure("read_task", {}, own)).toContain("task_id is required");
		expect(await failure("read_task", { task_id: "../admin" }, own)).toMatch(/task_id must be a UUID/i);
		expect(await failure("wait_for_score", { submission_id: draft, timeout_seconds: 1e9 }, own)).toContain(
			"timeout_seconds must be at most 240",
		);
	});

	it("waits no longer than the limit, and can be asked again", async () => {
		const params = { id: await openTask(poster) };
		const { id: submission_id } = await agent.call("createSubmission", { params, body: {} });
		const waits = call("wait_for_score", { submission_id, timeout_seconds: 1 }, own);
		expect(await Promise.race([waits, scheduler.wait(500).then(() => "still waiting")])).toBe("still waiting");
		const waiting = await waits;
		expect(waiting).toMatchObject({ done: false, status: "registered", final_score: null, next: expect.stringContaining("Upload") });
		expect(await call("wait_for_score", { submission_id, timeout_seconds: 0 }, own)).toMatchObject({ done: false });
	});

	it("streams if a call waits, with progress for clients that ask, and returns JSON otherwise", async () => {
		const { id: submission_id } = await submit(agent, await openTask(poster));
		const params = { name: "wait_for_score", arguments: { submission_id } };
		const followed = await send("tools/call", { ...params, _meta: { progressToken: 7 } }, own);
		expect(followed.headers.get("Content-Type")).toContain("text/event-stream");
		const messages = await messagesOf(followed);
		expect(messages.at(0)).toMatchObject({ method: "notifications/progress", params: { progressToken: 7, progress: expect.any(Number) } });
		expect(messages.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { done: true } } });
		expect(await messagesOf(await send("tools/call", params, own))).toHaveLength(1);
		const plain = await send("tools/call", params, { ...own, headers: { Accept: "application/json" } });
		expect(plain.headers.get("Content-Type")).toContain("application/json");
		for (const method of ["tools/list", "resources/list", "prompts/list"]) {
			expect((await send(method, {}, own)).headers.get("Content-Type")).toContain("application/json");
		}
	});

	it("shows every field of the API with full, and fewer without", async () => {
		const task_id = await openTask(poster, { input_spec: "x".repeat(5_000) });
		await poster.call("addAttachment", { params: { id: task_id }, rawBody: attachmentForm() });
		const brief = await call("read_task", { task_id }, own);
		expect(brief).toMatchObject({
			cut: expect.stringMatching(/^These are cut: input_spec\. .*detail "full"/),
			input_spec: expect.toSatisfy((text: string) => text.length <= 2_000),
		});
		const full = await tool("read_task", { task_id, detail: "full" }, own);
		expect(full.structuredContent).toMatchObject(await agent.call("getTask", { params: { id: task_id } }));
		expect(full.structuredContent).toMatchObject({ attachments: [{ filename: "notes.txt" }] });
		const { id: submission_id } = await submit(agent, task_id);
		await awaitEvaluation(agent, submission_id);
		const { artifact: _, ...submission } = await agent.call("getSubmission", { params: { id: submission_id } });
		expect(await call("wait_for_score", { submission_id, detail: "full" }, own)).toMatchObject(submission);
		for (const [name, args] of [
			["find_tasks", {}],
			["my_submissions", {}],
			["leaderboard", { task_id }],
		] as const) {
			const sizes = [await call(name, args, own), await call(name, { ...args, detail: "full" }, own)].map(
				(one) => JSON.stringify(one).length,
			);
			expect({ name, grows: (sizes[1] ?? 0) > (sizes[0] ?? 0) }).toEqual({ name, grows: true });
		}
	});

	it("has the pages of the documentation as resources", async () => {
		const { resources } = z
			.object({ resources: z.array(z.looseObject({ uri: z.string(), name: z.string() })) })
			.parse(await result("resources/list", {}, { era }));
		const { pages } = await createClient().call("listDocs");
		expect(resources.map(({ name }) => name)).toEqual(pages.map(({ slug }) => slug));
		for (const { uri } of resources.slice(0, 3)) {
			expect(await result("resources/read", { uri }, { era })).toMatchObject({
				contents: [{ uri, mimeType: "text/markdown", text: expect.stringMatching(/^# /) }],
			});
		}
		expect(await result("resources/templates/list", {}, { era })).toMatchObject({
			resourceTemplates: [{ uriTemplate: "submission://{submission_id}/{+path}" }],
		});
		for (const uri of ["docs://nothing", "file:///etc/passwd", "submission://x/y", `submission://${poster.agentId}/a`]) {
			expect(await rpc("resources/read", { uri }, own)).toMatchObject({ error: { code: -32_602 } });
		}
	});

	it("has one prompt, which needs no key and names the tools that it leads through", async () => {
		expect(await result("prompts/list", {}, { era })).toMatchObject({ prompts: [{ name: "compete" }] });
		const shown = JSON.stringify(await result("prompts/get", { name: "compete", arguments: { category: "parsers" } }, { era }));
		for (const name of ["register", "find_tasks", "read_task", "check_files", "submit_files", "wait_for_score"])
			expect(shown).toContain(`\`${name}\``);
		expect(shown).toContain("parsers");
		expect(await rpc("prompts/get", { name: "win" }, { era })).toMatchObject({ error: { code: -32_602 } });
	});
});

describe("results", () => {
	it("fit the output schemas, compact and full, and have the same content as text", async () => {
		const options: McpOptions = { key: agent.key };
		const posterOptions: McpOptions = { key: poster.key };
		const task_id = await openTask(poster);
		const { id: submission_id } = await submit(agent, task_id);
		await awaitEvaluation(agent, submission_id);
		const { id: draft } = await createDraft(poster);
		const calls: readonly (readonly [string, Readonly<Record<string, unknown>>, McpOptions])[] = [
			["find_tasks", {}, options],
			["find_tasks", { query: "csv" }, options],
			["find_tasks", {}, {}],
			["read_task", { task_id }, options],
			["read_task", { task_id }, {}],
			["check_files", { task_id, files: { "a.js": "" } }, options],
			["submit_files", { task_id, files: GOOD_FILES }, options],
			["wait_for_score", { submission_id }, options],
			["my_submissions", { task_id }, options],
			["leaderboard", { task_id }, options],
			["leaderboard", { task_id }, {}],
			["register", {}, {}],
			["post_task", taskInput(), posterOptions],
			["publish_task", { task_id: draft }, posterOptions],
			["review_submissions", { task_id }, posterOptions],
			["review_submissions", { task_id, submission_id }, posterOptions],
			["notes", { action: "list" }, options],
		];
		const tools = await listTools();
		for (const [name, args, caller] of calls) {
			for (const detail of name === "publish_task" ? ["full"] : ["compact", "full"]) {
				const { structuredContent, content } = await tool(name, { ...args, detail }, caller);
				const validate = ajv.compile(tools.find((item) => item.name === name)?.outputSchema ?? false);
				expect({ name, detail, fits: validate(structuredContent) || validate.errors }).toEqual({ name, detail, fits: true });
				expect(content).toEqual([{ type: "text", text: JSON.stringify(structuredContent) }]);
			}
		}
	});

	it("list every file of a submission in pages, however long the paths are", async () => {
		const task_id = await openTask(poster);
		const paths = Array.from({ length: 130 }, (_, index) => `${`${"a".repeat(120)}/`.repeat(4)}${String(index).padStart(3, "0")}.txt`);
		const texts = Object.fromEntries(paths.map((path) => [path, "text"]));
		const { id: submission_id } = await submit(agent, task_id, { ...GOOD_FILES, ...texts });
		await awaitEvaluation(agent, submission_id);
		const page = z.looseObject({ files: z.array(z.object({ path: z.string() })), next_cursor: z.string().nullable() });
		const listedPaths: string[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const args = { task_id, submission_id, limit: 150, ...(cursor === "" ? {} : { cursor }) };
			const { files, next_cursor } = page.parse(await call("review_submissions", args, { key: poster.key }));
			listedPaths.push(...files.map(({ path }) => path));
			cursor = next_cursor;
		}
		expect(listedPaths).toEqual([...Object.keys(GOOD_FILES), ...paths].toSorted());
	});

	it("change nothing if the annotations say so", async () => {
		const readOnly = (await listTools()).filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name);
		expect(readOnly).toEqual([...NAMES.slice(0, 3), ...NAMES.slice(4, 7), "review_submissions", ...NAMES.slice(12, 15)]);
	});
});

describe("GET /.well-known/mcp.json", () => {
	it("says where the server is and what it offers", async () => {
		const card = await createClient().call("getMcpCard");
		expect(card).toMatchObject({
			name: "test.bounty/bounty-platform",
			remotes: [
				{ type: "streamable-http", url: "https://bounty.test/mcp", supportedProtocolVersions: ["2026-07-28", "2025-11-25", "2025-06-18"] },
			],
		});
		expect(card.tools.map(({ name }) => name)).toEqual(NAMES);
	});
});
