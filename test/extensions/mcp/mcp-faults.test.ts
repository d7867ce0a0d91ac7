// Tests the MCP server with hostile and invalid messages, its limits, and the cost of its calls.

import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { errorCodesOf } from "../../../src/http/endpoint.ts";
import { readBookmark } from "../../../src/http/middlewares.ts";
import { OPENING_LIMIT } from "../../../src/http/rate-limit.ts";
import { admin } from "../../support/admin.ts";
import { createApp, operations } from "../../support/app.ts";
import { bytesOf } from "../../support/archives.ts";
import { createClient, randomAddress } from "../../support/client.ts";
import { testDeps } from "../../support/deps.ts";
import { call, ERAS, failure, messageOf, post, rpc, send, tool } from "../../support/mcp.ts";
import { GOOD_FILES, openTask, registerAgent } from "../../support/scenario.ts";
import { countedStream } from "../../support/uploads.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const rpcError = z.object({
	jsonrpc: z.literal("2.0"),
	id: z.unknown(),
	error: z.object({ code: z.number(), message: z.string().min(1) }),
});

/** Returns the status and the code of a JSON-RPC error. */
async function faultOf(response: Response) {
	return { status: response.status, code: rpcError.parse(await response.json()).error.code };
}

describe("an invalid message", () => {
	it("is a parse error if it is not JSON", async () => {
		for (const body of ["", " ", "{", "ping", '{"jsonrpc":"2.0",}', "\0", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])]) {
			expect(await faultOf(await post(body))).toEqual({ status: 400, code: -32_700 });
		}
	});

	it("is an invalid request if it is not one JSON-RPC message", async () => {
		const bodies = [
			...[[], [ping], [ping, ping], null, 1, "ping", true, {}, { jsonrpc: "2.0" }],
			...[
				{ ...ping, jsonrpc: "1.0" },
				{ ...ping, jsonrpc: 2 },
				{ ...ping, method: 7 },
				{ ...ping, params: [1] },
				{ ...ping, params: "x" },
			],
			...[null, {}, [], true, 1.5, 1e300].map((id) => ({ ...ping, id })),
			{ ...ping, result: {} },
		];
		for (const body of bodies) {
			expect({ body, ...(await faultOf(await post(JSON.stringify(body)))) }).toEqual({ body, status: 400, code: -32_600 });
		}
	});

	it("is refused without harm at any depth of nesting", async () => {
		const deep = "[".repeat(200_000) + "]".repeat(200_000);
		const args = `{"action":"list","value":${deep}}`;
		const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes","arguments":${args}}}`;
		expect((await post(body)).status).toBeLessThan(500);
	});

	it("gets the id of the request back, also if it is 0 or empty text", async () => {
		for (const id of [0, "", "a", -5, Number.MAX_SAFE_INTEGER]) {
			const response = await post(JSON.stringify({ ...ping, id, method: "nothing" }));
			expect(await response.json()).toMatchObject({ id, error: { code: -32_601 } });
		}
	});

	it("is refused for a wrong content type, or an Accept that nothing satisfies", async () => {
		for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
			const response = await post(JSON.stringify(ping), { headers: { "Content-Type": type } });
			expect({ type, status: response.status }).toEqual({ type, status: 415 });
			expect(rpcError.parse(await response.json())).toMatchObject({ id: null, error: { code: -32_000 } });
		}
		for (const accept of ["text/html", "text/event-stream", "image/*"]) {
			expect((await post(JSON.stringify(ping), { headers: { Accept: accept } })).status).toBe(406);
		}
		for (const accept of ["*/*", "application/json", "application/*;q=0.5", "text/event-stream, application/json"]) {
			expect((await post(JSON.stringify(ping), { headers: { Accept: accept } })).status).toBe(200);
		}
	});

	it("is refused for an unknown revision", async () => {
		for (const version of ["1999-01-01", "2024-11-05", "x", "2026-07-28"]) {
			const response = await post(JSON.stringify({ ...ping, method: "tools/list" }), { headers: { "MCP-Protocol-Version": version } });
			expect({ version, status: response.status }).toEqual({ version, status: 400 });
			rpcError.parse(await response.json());
		}
	});

	it("is refused if it contradicts its headers in the newer revision", async () => {
		const { body, headers } = messageOf("2026-07-28", "tools/call", { name: "find_tasks", arguments: {} });
		expect((await post(JSON.stringify(body), { headers })).status).toBe(200);
		for (const wrong of [
			{ ...headers, "Mcp-Method": "tools/list" },
			{ ...headers, "Mcp-Name": "register" },
			{ ...headers, "MCP-Protocol-Version": "2025-11-25" },
			{ "MCP-Protocol-Version": "2026-07-28" },
		]) {
			const response = await post(JSON.stringify(body), { headers: wrong });
			expect(response.status).toBe(400);
			rpcError.parse(await response.json());
		}
	});
});

describe.each(ERAS)("an invalid call in revision %s", (era) => {
	const own = { era, key: agent.key };

	it("is refused for an unknown method, tool or prompt", async () => {
		expect(await rpc("tools/nothing", {}, { era })).toMatchObject({ error: { code: -32_601 } });
		expect(await rpc("subscriptions/listen", { notifications: {} }, { era })).toMatchObject({ error: { code: -32_601 } });
		for (const name of ["nothing", "", "__proto__", "constructor", "toString"]) {
			expect(await rpc("tools/call", { name, arguments: {} }, { era })).toMatchObject({ error: { code: -32_602 } });
		}
		for (const params of [{}, { name: 5 }, { name: "find_tasks", arguments: [1] }, { name: "find_tasks", arguments: "x" }]) {
			expect(await rpc("tools/call", params, { era })).toMatchObject({ error: { code: -32_602 } });
		}
	});

	it("is refused for an unknown resource, or a path that leaves the resources", async () => {
		const files = `submission://${poster.agentId}`;
		const uris = [
			...["docs://..", "docs://.", "docs://../../agent/whoami", "docs://concepts/../../../agent/whoami"],
			...[`${files}/..`, `${files}/../../../agent/whoami`, `${files}/%2e%2e/../../agent/whoami`, `${files}/a/./b`],
			// Headers of the newer revision repeat the URI, and cannot contain this one.
			...(era === "2025-11-25" ? ["docs://\ud800", `${files}/\ud800`] : []),
		];
		for (const uri of uris) {
			const { error } = await rpc("resources/read", { uri }, own);
			expect({ uri, code: error?.code }).toEqual({ uri, code: -32_602 });
		}
	});

	it("is refused for invalid arguments, and changes nothing", async () => {
		const task_id = await openTask(poster);
		const calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
			["find_tasks", { query: "x".repeat(501) }],
			["find_tasks", { category: "a\0b" }],
			["read_task", { task_id: "1" }],
			["read_task", { task_id: null }],
			["check_files", { task_id, files: [] }],
			["check_files", { task_id, files: null }],
			["submit_files", { task_id, files: {} }],
			["submit_files", { task_id, files: { "../a": "x" } }],
			["submit_files", { task_id, files: { a: 5 } }],
			["submit_files", { task_id, files: { a: { content: "%", encoding: "base64" } } }],
			["submit_files", { task_id, files: [{ path: "a", content: "%", encoding: "base64" }] }],
			["submit_files", { task_id, files: "a.txt" }],
			["read_file", { submission_id: task_id, path: "a", offset: -1 }],
			["find_operations", {}],
			["call_operation", { operation_id: "getTask", params: { id: { a: 1 } } }],
			["wait_for_score", { submission_id: task_id, timeout_seconds: -1 }],
			["register", { display_name: "a\0b" }],
			["post_task", {}],
			["post_task", { title: "x", budget_cents: 10_000, deadline: "tomorrow" }],
			["notes", { action: "put", key: "a b", value: 1 }],
		];
		for (const [name, args] of calls) {
			const text = await failure(name, args, own);
			expect({ name, args, text }).toEqual({
				name,
				args,
				text: expect.stringMatching(/^(VALIDATION_ERROR|INVALID_BODY|INVALID_UUID|BAD_REQUEST): [\s\S]*Next: /),
			});
		}
		expect(await call("my_submissions", { task_id }, own)).toMatchObject({ submissions: [] });
	});
});

describe("HTTP", () => {
	it("accepts notifications and responses with 202 and no body", async () => {
		for (const body of [
			{ jsonrpc: "2.0", method: "notifications/initialized" },
			{ jsonrpc: "2.0", id: 4, result: {} },
		]) {
			const response = await post(JSON.stringify(body));
			expect({ status: response.status, text: await response.text() }).toEqual({ status: 202, text: "" });
		}
	});

	it("has no sessions: initialize gives no session id", async () => {
		const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
		const response = await send("initialize", params);
		expect(response.headers.get("Mcp-Session-Id")).toBeNull();
		expect(await response.json()).toMatchObject({ result: { protocolVersion: "2025-11-25", serverInfo: { name: "bounty-platform" } } });
	});

	it("agrees on 2025-11-25 with clients that want another revision", async () => {
		for (const [wanted, agreed] of [
			["2025-06-18", "2025-06-18"],
			["2024-11-05", "2025-11-25"],
			["2026-07-28", "2025-11-25"],
		]) {
			const params = { protocolVersion: wanted, capabilities: {}, clientInfo: { name: "test", version: "1" } };
			const response = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
			expect(await response.json()).toMatchObject({ result: { protocolVersion: agreed } });
		}
	});

	it("accepts any origin in production, and ignores cookies", async () => {
		const production = createApp(() => testDeps({ config: { ...testDeps().config, environment: "production" } }));
		const fetch = (request: Request) => production.fetch(request);
		const headers = { Origin: "https://evil.example", Cookie: "session=x; __Host-session=x" };
		expect((await send("tools/list", {}, { headers, fetch })).status).toBe(200);
		expect((await rpc("tools/call", { name: "my_submissions" }, { headers, fetch })).error?.message).toContain("register");
		const foreign = await send("tools/list", {}, { headers });
		expect({ status: foreign.status, body: await foreign.json() }).toMatchObject({ status: 403, body: { error: { code: -32_000 } } });
	});

	it("serves pages of loopback in development, and ignores cookies", async () => {
		const headers = { Origin: "http://localhost:6274", Cookie: "session=x; __Host-session=x" };
		expect((await send("tools/list", {}, { headers })).status).toBe(200);
		expect((await rpc("tools/call", { name: "my_submissions" }, { headers })).error?.message).toContain("register");
	});

	it("refuses the key of a suspended agent with 403, as its contract says", async () => {
		const suspended = await registerAgent();
		expect((await send("tools/list", {}, { key: suspended.key })).status).toBe(200);
		await admin.call("suspendAgent", { params: { id: suspended.agentId }, body: { reason: "It breaks the rules." } });
		const response = await send("tools/list", {}, { key: suspended.key });
		expect({ status: response.status, isDocumented: errorCodesOf(operations.callMcp).includes("FORBIDDEN") }).toEqual({
			status: 403,
			isDocumented: true,
		});
	});

	it("reads what an earlier call has written, because clients have no bookmarks", async () => {
		const starts: string[] = [];
		const app = createApp((c) => {
			starts.push(readBookmark(c.req.raw));
			return testDeps();
		});
		const options = { key: agent.key, fetch: (request: Request) => app.fetch(request) };
		await call("my_submissions", {}, options);
		expect(starts).toEqual(["first-primary", "first-primary"]);
		await call("my_submissions", {}, { ...options, headers: { "X-D1-Bookmark": "0a-0b-0c" } });
		expect(starts.slice(2)).toEqual(["first-primary", "0a-0b-0c"]);
	});

	it("introduces itself in the newer revision", async () => {
		expect(await rpc("server/discover", {}, { era: "2026-07-28" })).toMatchObject({
			result: {
				resultType: "complete",
				supportedVersions: ["2026-07-28"],
				capabilities: { tools: {}, resources: {}, prompts: {} },
				ttlMs: expect.any(Number),
				cacheScope: "public",
			},
		});
	});
});

describe("bodies", () => {
	const MEGABYTE = 1_048_576;
	const large = (bytes: number) => ({ ...GOOD_FILES, "large.txt": "a\n".repeat(bytes / 2) });
	const bodyOf = (name: string, args: object) => JSON.stringify({ ...ping, method: "tools/call", params: { name, arguments: args } });

	it("may be files of many megabytes, for the tools that accept files", async () => {
		const task_id = await openTask(poster);
		const options = { key: agent.key };
		expect(await call("check_files", { task_id, files: large(4 * MEGABYTE) }, options)).toMatchObject({ problems: [] });
		expect(await call("submit_files", { task_id, files: large(4 * MEGABYTE) }, options)).toMatchObject({ status: "running" });
		const refused = await failure("submit_files", { task_id, files: large(5 * MEGABYTE) }, options);
		expect(refused).toMatch(/^FILE_TOO_LARGE: .*Upload larger work: [\s\S]*Next: send at most 5 MB of files/);
		const tooLarge = await failure("notes", { action: "put", key: "k", value: "a".repeat(2 * MEGABYTE) }, options);
		expect(tooLarge).toMatch(/^FILE_TOO_LARGE: Without files, the body .*1048576 bytes[\s\S]*Next: /);
		const listing = await post(JSON.stringify({ ...ping, method: "tools/list", params: { cursor: "a".repeat(2 * MEGABYTE) } }), options);
		expect({ status: listing.status, body: await listing.json() }).toMatchObject({
			status: 413,
			body: { id: null, error: { code: -32_000, data: { code: "FILE_TOO_LARGE", retry_after_seconds: null } } },
		});
	});

	it("are limited like those of the endpoint, and to 1 MB without a valid key", async () => {
		const task_id = await openTask(poster);
		const body = bodyOf("submit_files", { task_id, files: large(2 * MEGABYTE) });
		expect((await post(body)).status).toBe(413);
		expect((await post(body, { key: `svc_sk_${"0".repeat(64)}` })).status).toBe(401);
		const tooLarge = new Uint8Array(8 * MEGABYTE + 1).fill(0x20);
		expect((await post(tooLarge, { key: agent.key })).status).toBe(413);
	});

	it("must announce more than 1 MB, so that the key is checked before they are read", async () => {
		const task_id = await openTask(poster);
		const inChunks = (body: string) => countedStream([bytesOf(body.slice(0, 9)), bytesOf(body.slice(9))]).stream;
		const large413 = await post(inChunks(bodyOf("submit_files", { task_id, files: large(2 * MEGABYTE) })), { key: agent.key });
		expect(large413.status).toBe(413);
		expect(await large413.json()).toMatchObject({
			id: null,
			error: { code: -32_000, message: expect.stringContaining("Content-Length"), data: { code: "FILE_TOO_LARGE" } },
		});
		expect((await post(inChunks(bodyOf("check_files", { task_id, files: GOOD_FILES })), { key: agent.key })).status).toBe(200);
	});
});

describe("limits", () => {
	it("are the limits of a tool's endpoint, counted once per call", async () => {
		const task_id = await openTask(poster);
		const headers = { "CF-Connecting-IP": randomAddress() };
		const options = { key: agent.key, headers };
		for (let count = 0; count < 10; count += 1) await call("check_files", { task_id, files: { a: "1" } }, options);
		const refused = await failure("check_files", { task_id, files: { a: "1" } }, options);
		expect(refused).toMatch(/^RATE_LIMITED: [\s\S]*Next: call again in 60 seconds/);
		await createClient({ key: agent.key, address: headers["CF-Connecting-IP"] }).refused("checkSubmission", "RATE_LIMITED", {
			params: { id: task_id },
			body: { files: { a: "1" } },
		});
		expect(await call("read_task", { task_id }, options)).toMatchObject({ task_id });
		expect((await tool("register", {}, { headers })).isError).toBeUndefined();
	});

	it("answer every message that has an id, and let a connection be opened for every call", async () => {
		const [network, other] = ["203.0.113", "198.51.100"];
		const headers = (host: number) => ({ "CF-Connecting-IP": `${network}.${host}` });
		const deps = testDeps();
		const used = new Map<string, number>();
		const opening = {
			limit: async ({ key }: { key: string }) => {
				used.set(key, (used.get(key) ?? 0) + 1);
				return { success: (used.get(key) ?? 0) <= OPENING_LIMIT };
			},
		};
		const app = createApp(() => ({ ...deps, limits: { ...deps.limits, opening } }));
		const fetch = (request: Request) => app.fetch(request);
		const methods = ["ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list", "initialize"];
		const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
		for (const [index, method] of methods.entries())
			expect(await rpc(method, method === "initialize" ? params : {}, { fetch, headers: headers(index) })).toMatchObject({ result: {} });
		expect((await rpc("server/discover", {}, { era: "2026-07-28", fetch, headers: headers(9) })).error).toBeUndefined();
		expect([...used]).toEqual([[`${network}.0/24`, methods.length + 1]]);
		used.set(`${network}.0/24`, OPENING_LIMIT);
		const refused = await send("ping", {}, { fetch, headers: headers(5) });
		expect({ status: refused.status, body: await refused.json() }).toEqual({
			status: 200,
			body: {
				jsonrpc: "2.0",
				id: 1,
				error: {
					code: -32_000,
					message: expect.stringMatching(/^RATE_LIMITED: At most 600 .*one network.* Next: call again in 60 seconds\.$/),
					data: { code: "RATE_LIMITED", retry_after_seconds: 60 },
				},
			},
		});
		const notified = await post(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }), { fetch, headers: headers(5) });
		expect({ status: notified.status, text: await notified.text() }).toEqual({ status: 202, text: "" });
		expect((await send("ping", {}, { fetch, headers: { "CF-Connecting-IP": `${other}.1` } })).status).toBe(200);
		expect(await call("find_tasks", {}, { fetch, headers: headers(5) })).toMatchObject({ tasks: expect.any(Array) });
	});

	it("of a large call are in its result too", async () => {
		const task_id = await openTask(poster);
		const options = { key: agent.key, headers: { "CF-Connecting-IP": randomAddress() } };
		for (let count = 0; count < 10; count += 1) await failure("submit_files", { task_id }, options);
		const files = { ...GOOD_FILES, "large.txt": "a\n".repeat(1_000_000) };
		expect(await failure("submit_files", { task_id, files }, options)).toMatch(/^RATE_LIMITED: /);
	});
});

describe("costs", () => {
	/** Returns the D1 calls of all requests that are logged while `work` runs. */
	async function d1CallsOf(work: () => Promise<unknown>): Promise<number> {
		const lines = vi.spyOn(console, "log").mockImplementation(() => {});
		try {
			await work();
			const used = lines.mock.calls.map(
				([line]) => z.object({ d1_calls: z.number() }).safeParse(JSON.parse(String(line))).data?.d1_calls ?? 0,
			);
			return used.reduce((sum, calls) => sum + calls, 0);
		} finally {
			lines.mockRestore();
		}
	}
	/** Returns a key that no isolate remembers. */
	const freshKey = async () => (await agent.call("createApiKey")).api_key;

	it("are the D1 calls of the endpoint, key lookup included", async () => {
		const task_id = await openTask(poster);
		const pairs = [
			["getTask", { params: { id: task_id } }, "read_task", { task_id }],
			["listSubmissions", {}, "my_submissions", {}],
			["checkSubmission", { params: { id: task_id }, body: { files: GOOD_FILES } }, "check_files", { task_id, files: GOOD_FILES }],
		] as const;
		for (const [operation, input, name, args] of pairs) {
			const [first, second] = [await freshKey(), await freshKey()];
			const direct = await d1CallsOf(() => createClient({ key: first }).send(operation, input));
			expect(direct).toBeGreaterThan(0);
			expect({ name, calls: await d1CallsOf(() => call(name, args, { key: second })) }).toEqual({ name, calls: direct });
		}
		expect(await d1CallsOf(() => send("tools/list"))).toBe(0);
	});

	it("include a log entry for a fault of the platform, whose caller learns what to do", async () => {
		const errors = vi.spyOn(console, "error").mockImplementation(() => {});
		const { hubs } = testDeps();
		const broken: typeof hubs = { ...hubs, callWorkspace: () => Promise.reject(new Error("secret detail")) };
		const app = createApp(() => testDeps({ hubs: broken }));
		const text = await failure("notes", { action: "list" }, { key: agent.key, fetch: (request) => app.fetch(request) }).finally(() =>
			errors.mockRestore(),
		);
		expect(text).toMatch(/^INTERNAL_ERROR: [\s\S]*Next: call again later/);
		expect(text).not.toContain("secret detail");
	});
});
