// Errors, retries, time limits, cancelling and lists of the SDK.
import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import {
	BountyApiError,
	BountyClient,
	BountyConnectionError,
	BountyTimeoutError,
	BountyUsageError,
	Paged,
} from "../../packages/sdk/src/index.ts";
import { hangUp, proxyError, refuse, type ScriptedPlatform, startScripted } from "./scripted.ts";

const TASK = { title: "t", budget_cents: 1, deadline: "2026-12-08T18:00:00.000Z" };

/** A response with status 200 is one of these if it breaks off, or if something other than the platform responds. */
const UNREADABLE = [
	["JSON that ends early", ({ response }) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"a":')],
	["nothing", ({ response }) => response.writeHead(200, { "Content-Type": "application/json" }).end()],
	["a sign-in page", ({ response }) => response.writeHead(200, { "Content-Type": "text/html" }).end("<h1>Sign in</h1>")],
	[
		"a body that breaks off",
		({ response, request }) => {
			response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" }).write('{"a":');
			setTimeout(() => request.socket.destroy(), 20);
		},
	],
] satisfies [string, Parameters<typeof startScripted>[0][string]][];

let platform: ScriptedPlatform | undefined;
afterEach(() => platform?.stop());

async function start(...args: Parameters<typeof startScripted>): Promise<ScriptedPlatform> {
	platform = await startScripted(...args);
	return platform;
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
	promise.then(
		() => new Error("It succeeded."),
		(error: unknown) => error,
	);

describe("listeners", () => {
	it("get each repetition and each success with its request id, without the query", async () => {
		const { client } = await start({
			"GET /api/v1/tasks": ({ response, count }) => {
				if (count === 0) return refuse(response, { status: 503, code: "SERVICE_BUSY", headers: { "Retry-After": "0" } });
				response.setHeader("X-Request-Id", "r-2");
				return { data: [], pagination: { next_cursor: null } };
			},
		});
		const heard: unknown[] = [];
		const listening = client({
			onRetry: ({ method, path, attempt }) => heard.push({ method, path, attempt }),
			onResponse: (notice) => heard.push(notice),
		});
		await listening.listTasks({ category: "secret" }).page();
		const request = { method: "GET", path: "/api/v1/tasks" };
		expect(heard).toEqual([
			{ ...request, attempt: 1 },
			{ ...request, status: 200, requestId: "r-2" },
		]);
	});
});

describe("the base URL", () => {
	it.each([
		"http://bounties.example",
		"http://10.0.0.1",
		"http://localhost.example",
		"ftp://localhost",
		"bounties.example",
		"https://a:b@bounties.example",
		"https://bounties.example/?a=1",
		"http://127.0.0.1.example",
	])("rejects %s before anything is sent", (baseUrl) => {
		expect(() => new BountyClient({ baseUrl, apiKey: "svc_sk_1" })).toThrow(BountyUsageError);
	});

	it.each([
		"https://bounties.example",
		"http://localhost:8787",
		"http://127.0.0.1:8787/",
		"http://[::1]:8787",
		"https://bounties.example/base/",
	])("accepts %s", (baseUrl) => {
		expect(new BountyClient({ baseUrl }).baseUrl).toBe(baseUrl.replace(/\/$/, ""));
	});

	it("stays the same for a redirect, which would otherwise receive the key", async () => {
		const { client, calls } = await start({
			"GET /api/v1/agent/whoami": ({ response }) => response.writeHead(302, { Location: "/elsewhere" }).end(),
		});
		const error = await failureOf(client({ maxRetries: 0 }).whoAmI());
		expect(error).toBeInstanceOf(BountyConnectionError);
		expect(String(error)).toContain("redirects to /elsewhere");
		expect(calls()).toEqual(["GET /api/v1/agent/whoami"]);
	});

	it("rejects a key that no header can contain, and path parts that form another endpoint", () => {
		expect(() => new BountyClient({ baseUrl: "https://bounties.example", apiKey: "svc_sk_1\n" })).toThrow(/line break/);
		const client = new BountyClient({ baseUrl: "https://bounties.example" });
		for (const id of ["", ".", ".."]) expect(() => client.url("getTask", { path: { id } })).toThrow(BountyUsageError);
		expect(client.url("readWorkspaceFile", { path: { path: "a/../b ü" } })).toBe(
			"https://bounties.example/api/v1/workspace/files/a%2F..%2Fb%20%C3%BC",
		);
	});
});

describe("errors", () => {
	it("contain what the platform says", async () => {
		const action = { method: "POST", href: "https://bounties.example/x", description: "Do x." };
		const { client } = await start({
			"GET /api/v1/tasks/t": ({ response }) =>
				refuse(response, { status: 409, code: "CONFLICT", details: { next_actions: [action, "odd"], retry_after_seconds: 7 } }),
		});
		const error = await failureOf(client().getTask("t"));
		expect(error).toBeInstanceOf(BountyApiError);
		expect(error).toMatchObject({
			name: "BountyApiError",
			code: "CONFLICT",
			status: 409,
			requestId: "r-1",
			...{ nextActions: [action], faults: [] },
			retryAfterSeconds: 7,
			method: "GET",
			message: "It is CONFLICT.",
		});
	});

	it("of a proxy say so", async () => {
		const { client } = await start({ "POST /api/v1/tasks": ({ response }) => proxyError(response) });
		const error = await failureOf(client().createTask(TASK));
		expect(error).toMatchObject({ code: "HTTP_502", status: 502, message: expect.stringContaining("Bad gateway") });
	});

	it.each(UNREADABLE)("of a 200 with %s are connection errors that name the request", async (_, trouble) => {
		const { client, calls } = await start({ "GET /health": trouble });
		const error = await failureOf(client({ maxRetries: 1 }).getHealth());
		expect(error).toBeInstanceOf(BountyConnectionError);
		expect(String(error)).toMatch(/GET \/health (?:returned .+JSON|failed: )/);
		expect(calls()).toHaveLength(2);
	});
});

describe("retries", () => {
	it("repeat a read, and a write with its key, until the response is whole and JSON", async () => {
		const troubled: Parameters<typeof startScripted>[0][string] = (turn) => {
			const [, trouble] = UNREADABLE[turn.count] ?? [];
			return trouble === undefined ? { id: "t", status: "ok" } : trouble(turn);
		};
		const { client, received } = await start({
			"GET /health": troubled,
			"POST /api/v1/tasks": troubled,
			"POST /api/v1/tasks/t/clock": troubled,
			"POST /api/v1/tasks/t/quick-submit": troubled,
		});
		const retries: unknown[] = [];
		const same = client({ onRetry: ({ error }) => retries.push(error) });
		expect(await same.getHealth()).toMatchObject({ status: "ok" });
		expect(await same.createTask(TASK)).toMatchObject({ id: "t" });
		expect(await same.advanceClock("t", { advance_seconds: 1 })).toMatchObject({ id: "t" });
		const { data } = await same.request("quickSubmit", { path: { id: "t" }, body: { files: { a: "b" } } });
		expect(data).toMatchObject({ id: "t" });
		expect(retries).toHaveLength(4 * UNREADABLE.length);
		expect(retries.every((error) => error instanceof BountyConnectionError)).toBe(true);
		for (const path of ["/api/v1/tasks", "/api/v1/tasks/t/clock", "/api/v1/tasks/t/quick-submit"]) {
			const keys = received.filter(({ call }) => call === `POST ${path}`).map(({ headers }) => headers["idempotency-key"]);
			expect({ path, keys }).toEqual({ path, keys: Array.from({ length: UNREADABLE.length + 1 }, () => keys[0]) });
			expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
		}
	});

	it("accept an empty response from the storage service that an upload goes to", async () => {
		const { client, url, calls } = await start({ "PUT /bucket/a.zip": ({ response }) => response.writeHead(200).end() });
		await client().putArtifact(`${url}/bucket/a.zip`, new Uint8Array(3));
		expect(calls()).toHaveLength(1);
	});

	it("repeat a read after broken connections, faults of a proxy and 500s", async () => {
		const trouble = [
			hangUp,
			({ response }) => proxyError(response),
			({ response }) => refuse(response, { status: 500, code: "INTERNAL_ERROR" }),
		] satisfies Parameters<typeof startScripted>[0][string][];
		const { client, calls } = await start({
			"GET /health": (turn) => trouble[turn.count]?.(turn) ?? (turn.count < 3 ? undefined : { status: "ok" }),
		});
		expect(await client().getHealth()).toEqual({ status: "ok" });
		expect(calls()).toHaveLength(4);
	});

	it.each([
		...UNREADABLE,
		["a broken connection", hangUp],
		["a proxy's 502", ({ response }) => proxyError(response)],
		["a 500", ({ response }) => refuse(response, { status: 500, code: "INTERNAL_ERROR" })],
		[
			"an overload, of which the platform does not say whether it was before",
			({ response }) => refuse(response, { status: 503, code: "OVERLOADED", headers: { "Retry-After": "1" } }),
		],
	] satisfies [string, Parameters<typeof startScripted>[0][string]][])("never repeat a POST without a key after %s", async (_, trouble) => {
		const { client, calls } = await start({ "POST /api/v1/tasks/t/publish": trouble });
		expect(await failureOf(client().publishTask("t"))).toBeInstanceOf(Error);
		expect(calls()).toHaveLength(1);
	});

	it("repeat a POST that was not executed: 429 and SERVICE_BUSY", async () => {
		const { client, calls } = await start({
			"POST /api/v1/tasks": ({ count, response }) => {
				if (count === 0) return refuse(response, { status: 429, code: "RATE_LIMITED", headers: { "Retry-After": "1" } });
				if (count === 1) return refuse(response, { status: 503, code: "SERVICE_BUSY", headers: { "Retry-After": "0" } });
				return { id: "t" };
			},
		});
		const startedAt = Date.now();
		expect(await client().createTask(TASK)).toEqual({ id: "t" });
		expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1000);
		expect(calls()).toHaveLength(3);
	});

	it("never repeat a conditional write, which would fail although the first attempt succeeded", async () => {
		const { client, calls } = await start({
			"PUT /api/v1/workspace/kv/lock": (turn) =>
				turn.count === 0 ? hangUp(turn) : refuse(turn.response, { status: 412, code: "PRECONDITION_FAILED" }),
			"DELETE /api/v1/workspace/kv/lock": hangUp,
			"PUT /api/v1/workspace/kv/free": (turn) => (turn.count === 0 ? hangUp(turn) : { key: "free" }),
		});
		const same = client();
		const put = same.putWorkspaceEntry("lock", { value: 1 }, { headers: { "If-None-Match": "*" } });
		expect(await failureOf(put)).toBeInstanceOf(BountyConnectionError);
		const deletion = same.deleteWorkspaceEntry("lock", { headers: { "If-Match": '"e"' } });
		expect(await failureOf(deletion)).toBeInstanceOf(BountyConnectionError);
		expect(await same.putWorkspaceEntry("free", { value: 1 })).toEqual({ key: "free" });
		expect(calls()).toHaveLength(4);
	});

	it("do not wait for an hour or a month", async () => {
		const { client, calls } = await start({
			"POST /api/v1/submissions/s/request_re_eval": ({ response }) =>
				refuse(response, { status: 429, code: "RE_EVAL_COOLDOWN", headers: { "Retry-After": "3600" } }),
		});
		expect(await failureOf(client().requestReEvaluation("s"))).toMatchObject({ retryAfterSeconds: 3600 });
		expect(calls()).toHaveLength(1);
	});

	it("are spread over the whole time below a growing limit", async () => {
		const { client } = await start({ "GET /health": ({ response }) => proxyError(response) });
		const times = await Promise.all(
			Array.from({ length: 12 }, async () => {
				const startedAt = Date.now();
				await failureOf(client({ maxRetries: 2 }).getHealth());
				return Date.now() - startedAt;
			}),
		);
		expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(100);
	});
});

describe("time limits and cancelling", () => {
	const silence = { "GET /health": () => undefined, "POST /api/v1/tasks/t/publish": () => undefined };

	it("end an attempt that gets no response", async () => {
		const { client, calls } = await start(silence);
		const error = await failureOf(client({ timeoutMs: 100, maxRetries: 1 }).getHealth());
		expect(error).toBeInstanceOf(BountyTimeoutError);
		expect(error).toMatchObject({ timeoutMs: 100 });
		expect(calls()).toHaveLength(2);
	});

	it("end an attempt whose body stops", async () => {
		const { client } = await start({
			"GET /health": ({ response }) => {
				response.writeHead(200, { "Content-Type": "application/json" }).write('{"status"');
			},
		});
		expect(await failureOf(client({ timeoutMs: 100, maxRetries: 0 }).getHealth())).toBeInstanceOf(BountyTimeoutError);
	});

	it("do not repeat a POST that may have been carried out", async () => {
		const { client, calls } = await start(silence);
		expect(await failureOf(client({ timeoutMs: 100 }).publishTask("t"))).toBeInstanceOf(BountyTimeoutError);
		expect(calls()).toHaveLength(1);
	});

	it("let a signal end a request, a pause between attempts, and a call before it begins", async () => {
		const { client, calls } = await start({
			...silence,
			"GET /api/v1/docs": ({ response }) => refuse(response, { status: 429, code: "RATE_LIMITED", headers: { "Retry-After": "50" } }),
		});
		const reason = new Error("enough");
		for (const call of [(signal: AbortSignal) => client().getHealth({ signal }), (signal: AbortSignal) => client().listDocs({ signal })]) {
			const controller = new AbortController();
			setTimeout(() => controller.abort(reason), 100);
			expect(await failureOf(call(controller.signal))).toBe(reason);
		}
		const before = calls().length;
		expect(await failureOf(client().getHealth({ signal: AbortSignal.abort(reason) }))).toBe(reason);
		expect(calls()).toHaveLength(before);
	});
});

describe("an error of the platform", () => {
	it("names the fault of each field", async () => {
		const { client } = await start({
			"POST /api/v1/tasks": ({ response }) =>
				refuse(response, { status: 400, code: "VALIDATION_ERROR", details: [{ path: "title", message: "title is required" }, 1] }),
		});
		expect(await failureOf(client().createTask(TASK))).toMatchObject({
			faults: [{ path: "title", message: "title is required" }],
			nextActions: [],
		});
	});

	it.each(["null", "<html>", '{"error":"text"}', "[]"])("always has its status if something else responds (%s)", async (body) => {
		const { client } = await start({ "GET /health": ({ response }) => response.writeHead(404).end(body) });
		expect(await failureOf(client().getHealth())).toMatchObject({ code: "HTTP_404", message: expect.stringContaining("404") });
	});
});

describe("lists", () => {
	const pages = ["a", "b", "c"].map((title, index, all) => ({
		data: [{ title }],
		pagination: { has_more: index < all.length - 1, next_cursor: index < all.length - 1 ? `c${index + 1}` : null },
	}));

	it("are read page by page, with the same filter", async () => {
		const { client, calls } = await start({ "GET /api/v1/tasks": ({ count }) => pages[count] });
		const titles: string[] = [];
		for await (const { title } of client().listTasks({ category: "data", status: ["open"] })) titles.push(title);
		expect(titles).toEqual(["a", "b", "c"]);
		expect(calls()).toEqual(["", "&cursor=c1", "&cursor=c2"].map((cursor) => `GET /api/v1/tasks?category=data&status=open${cursor}`));
	});

	it("send nothing before they are read, and stop with the reader", async () => {
		const { client, calls } = await start({ "GET /api/v1/tasks": ({ count }) => pages[count] });
		const list = client().listTasks();
		expect(calls()).toEqual([]);
		for await (const _ of list) break;
		expect(calls()).toHaveLength(1);
		expect(await list.toArray(1)).toMatchObject([{ title: "b" }]);
	});

	it("return single pages with their cursor", async () => {
		const { client } = await start({ "GET /api/v1/tasks/t/leaderboard": () => ({ entries: [{ rank: 1 }], me: null, next_cursor: "n" }) });
		expect(await new Paged(() => client().getLeaderboard("t")).page()).toMatchObject({
			items: [{ rank: 1 }],
			nextCursor: "n",
			response: { me: null },
		});
	});

	it("do not loop endlessly", async () => {
		const { client } = await start({ "GET /api/v1/tasks": () => ({ data: [], next_cursor: "same" }) });
		expect(await failureOf(client().listTasks().toArray())).toBeInstanceOf(BountyConnectionError);
	});
});

describe("headers", () => {
	it("are the only place where a client shows its credentials", () => {
		const secrets = { apiKey: "svc_sk_hidden", adminToken: "svc_admin_hidden", csrfToken: "csrf_hidden" };
		const client = new BountyClient({ baseUrl: "https://bounties.example", ...secrets });
		expect(inspect(client, { depth: 10 })).not.toContain("hidden");
		expect(JSON.stringify(client)).not.toContain("hidden");
	});

	it("contain the key only where it is needed, and the last response's database bookmark", async () => {
		const { client, received } = await start({
			"GET /api/v1/agent/whoami": ({ response }) => {
				response.setHeader("X-D1-Bookmark", "b-1");
				return { id: "a" };
			},
			"GET /api/public/tasks": () => ({ data: [], next_cursor: null }),
			"POST /api/v1/operator-tokens/mint-child": () => ({ api_key: "k" }),
		});
		const same = client({ userAgent: "mine/1" });
		await same.whoAmI();
		await same.whoAmI();
		await same.listPublicTasks().page();
		await same.mintChildKey({}, { token: "svc_op_1" });
		expect(received.map(({ headers }) => [headers.authorization, headers["x-d1-bookmark"], headers["user-agent"]])).toEqual([
			["Bearer svc_sk_test", undefined, "mine/1"],
			["Bearer svc_sk_test", "b-1", "mine/1"],
			[undefined, undefined, "mine/1"],
			["Bearer svc_op_1", undefined, "mine/1"],
		]);
	});

	it("show 304 to callers that ask for it", async () => {
		const { client } = await start({ "GET /api/v1/tasks/t": ({ response }) => response.writeHead(304, { ETag: '"e"' }).end() });
		const { status, data, headers } = await client().request("getTask", { path: { id: "t" }, headers: { "If-None-Match": '"e"' } });
		expect({ status, data, etag: headers.get("ETag") }).toEqual({ status: 304, data: undefined, etag: '"e"' });
	});
});

describe("registering on a platform with a proof of work", () => {
	const details = { challenge: "9.1.c.s", algorithm: "sha256", bits: 9, expires_at: "2026-12-08T18:00:00.000Z" };
	const REGISTER = "POST /api/v1/agent/register-anonymous";

	it("solves the challenge and registers again", async () => {
		const { client, received } = await start({
			[REGISTER]: ({ response, count }) =>
				count === 0 ? refuse(response, { status: 403, code: "FORBIDDEN", details }) : { agent_id: "a", api_key: "k" },
		});
		expect(await client().registerAnonymous({ display_name: "Ada" })).toMatchObject({ agent_id: "a" });
		const sent = JSON.parse(received[1]?.body.toString() ?? "");
		expect(sent).toEqual({ display_name: "Ada", proof_of_work: { challenge: details.challenge, solution: expect.any(String) } });
		const hash = createHash("sha256").update(`${details.challenge}:${sent.proof_of_work.solution}`).digest();
		expect([hash[0], (hash[1] ?? 255) < 128]).toEqual([0, true]);
	});

	it("gives up if the work is too much, or its own proof is rejected", async () => {
		const { client, calls } = await start({
			[REGISTER]: ({ response, count }) =>
				refuse(response, { status: 403, code: "FORBIDDEN", details: count === 0 ? { ...details, bits: 40 } : details }),
		});
		const failures = [
			await failureOf(client().registerAnonymous()),
			await failureOf(client().registerAnonymous({ proof_of_work: { challenge: "c", solution: "1" } })),
			await failureOf(client().registerAnonymous()),
		];
		for (const error of failures) expect(error).toMatchObject({ code: "FORBIDDEN" });
		expect(calls()).toHaveLength(4);
	});
});
