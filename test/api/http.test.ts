// Tests what all endpoints share: unknown paths, CORS, request ids, health, and the response to internal faults.
import { exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { endpoints } from "../../src/compose/endpoints.ts";
import { buildApp, createApp } from "../support/app.ts";
import { createClient, randomAddress } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { breakingOff, countedStream } from "../support/uploads.ts";

const nobody = createClient();

function fetchPath(path: string, init: RequestInit = {}): Promise<Response> {
	const headers = new Headers({ "CF-Connecting-IP": randomAddress(), ...Object.fromEntries(new Headers(init.headers)) });
	return exports.default.fetch(new Request(`https://bounty.test${path}`, { ...init, headers }));
}

describe("unknown paths", () => {
	it("are 404 in the envelope, in any form", async () => {
		const paths = [
			"/api",
			"/api/v1",
			"/api/v1/nothing",
			"/api/v1/tasks/",
			"/api/v1//tasks",
			"/API/V1/tasks",
			"/api/v1/tasks/%ZZ/x",
			"/%00",
		];
		for (const path of paths) {
			const response = await fetchPath(path);
			const body = await response.json();
			expect({ path, status: response.status, body }).toMatchObject({ path, status: 404, body: { error: { code: "NOT_FOUND" } } });
			expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
			expect(response.headers.get("Content-Type")).toContain("application/json");
		}
	});

	it("name the overview of all endpoints, and no long document", async () => {
		for (const path of ["/api/v1/task", "/wp-login.php", `/${"a/".repeat(2_000)}`]) {
			const body = z.object({ error: z.object({ message: z.string() }) }).parse(await (await fetchPath(path)).json());
			expect(body.error.message).toContain("GET /api/docs lists the endpoints.");
			expect(body.error.message).not.toContain("openapi.json");
		}
	});

	it("are 404 for every method, HEAD without a body", async () => {
		for (const method of ["POST", "PUT", "PATCH", "DELETE"]) expect((await fetchPath("/api/v1/nothing", { method })).status).toBe(404);
		const head = await fetchPath("/api/v1/nothing", { method: "HEAD" });
		expect({ status: head.status, body: await head.text() }).toEqual({ status: 404, body: "" });
	});

	it("that exist under another method are 405, and the response names it", async () => {
		const response = await fetchPath("/health", { method: "POST", body: "{}" });
		expect(response.status).toBe(405);
		expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
		const message = "This path does not support the method of your request. It supports GET.";
		expect(await response.json()).toMatchObject({ error: { code: "METHOD_NOT_ALLOWED", message } });
	});
});

describe("request ids", () => {
	it("are in every response, new each time, and in the log line of the request", async () => {
		const lines = vi.spyOn(console, "log");
		const responses = await Promise.all([fetchPath("/health"), fetchPath("/nothing"), fetchPath("/api/v1/agent/whoami")]);
		const ids = responses.map(({ headers }) => headers.get("X-Request-Id"));
		expect(new Set(ids).size).toBe(3);
		const logged = lines.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
		lines.mockRestore();
		for (const [index, id] of ids.entries()) {
			const line = logged.find((entry) => entry["request_id"] === id);
			expect(line).toMatchObject({ level: "info", event: "request", method: "GET", status: responses[index]?.status });
			for (const fact of ["ms", "d1_calls", "d1_rows_read", "d1_rows_written"]) expect(typeof line?.[fact]).toBe("number");
		}
	});

	it("are logged with the route, never with the URL, a key or a body", async () => {
		const agent = await registerAgent();
		const lines = vi.spyOn(console, "log");
		await agent.send("getTask", { params: { id: "01900000-0000-7000-8000-000000000000" } });
		const logged = lines.mock.calls.map(([line]) => String(line)).join("\n");
		lines.mockRestore();
		expect(logged).toContain('"route":"/api/v1/tasks/:id"');
		expect(logged).not.toContain(agent.key);
	});
});

it("matches its routes with one expression, and every path fits into it", async () => {
	const app = buildApp(() => testDeps());
	await app.fetch(new Request("https://bounty.test/nothing"));
	expect(app.router.name).toBe("SmartRouter + RegExpRouter");
});

describe("CORS", () => {
	it("lets any origin send requests with any header, but without cookies", async () => {
		const headers = {
			Origin: "https://anywhere.example",
			"Access-Control-Request-Method": "PATCH",
			"Access-Control-Request-Headers": "authorization,idempotency-key",
		};
		for (const path of ["/api/v1/tasks", "/api/v1/nothing"]) {
			const response = await fetchPath(path, { method: "OPTIONS", headers });
			expect(response.status).toBe(204);
			expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
			expect(response.headers.get("Access-Control-Allow-Methods")).toContain("PATCH");
			expect(response.headers.get("Access-Control-Allow-Headers")).toContain("idempotency-key");
			expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
		}
	});

	it("exposes the headers that scripts need, also on errors", async () => {
		for (const path of ["/health", "/api/v1/tasks", "/nothing"]) {
			const response = await fetchPath(path, { headers: { Origin: "https://anywhere.example" } });
			expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
			expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
			const exposed = response.headers.get("Access-Control-Expose-Headers") ?? "";
			for (const name of ["X-Request-Id", "Retry-After", "RateLimit", "Idempotency-Replayed", "ETag"]) expect(exposed).toContain(name);
		}
	});

	it("exposes every response header that a contract declares", async () => {
		// Scripts can read these anyway, or only browsers and caches need them.
		const others = ["Cache-Control", "Content-Type", "Content-Security-Policy", "Location", "Set-Cookie", "Vary"];
		const { headers } = await fetchPath("/health");
		const exposed = (headers.get("Access-Control-Expose-Headers") ?? "").split(",");
		const declared = new Set(endpoints.flatMap(({ response }) => Object.keys(response.headers ?? {})));
		expect([...declared].filter((name) => ![...exposed, ...others].includes(name))).toEqual([]);
	});
});

describe("a page of another origin", () => {
	const register = (origin: string | null, app = createApp(() => testDeps())) =>
		app.fetch(
			new Request("https://bounty.test/api/v1/agent/register-anonymous", {
				method: "POST",
				headers: { "CF-Connecting-IP": randomAddress(), ...(origin === null ? {} : { Origin: origin }) },
			}),
		);

	it("changes nothing on a platform in development", async () => {
		for (const origin of ["https://evil.example", "null", "http://localhost.evil.example", "https://bounty.test.evil.example", "x"]) {
			const response = await register(origin);
			expect({ origin, status: response.status, body: await response.json() }).toMatchObject({
				origin,
				status: 403,
				body: { error: { code: "FORBIDDEN" } },
			});
		}
		const overMcp = await fetchPath("/mcp", { method: "POST", headers: { Origin: "https://evil.example" }, body: "{}" });
		expect(overMcp.status).toBe(403);
		const path = "/api/v1/submissions/01900000-0000-7000-8000-000000000000/artifact?expires=1&signature=x";
		const upload = await fetchPath(path, { method: "PUT", headers: { Origin: "https://evil.example" }, body: "x" });
		expect([upload.status, await upload.json()]).toMatchObject([403, { error: { code: "FORBIDDEN" } }]);
	});

	it("may read there, and pages of the platform itself and of loopback may also change things", async () => {
		expect((await fetchPath("/api/v1/tasks", { headers: { Origin: "https://evil.example" } })).status).toBe(401);
		for (const origin of [null, "https://bounty.test", "http://localhost:5173", "http://127.0.0.1:3000", "http://[::1]:3000"]) {
			expect({ origin, status: (await register(origin)).status }).toEqual({ origin, status: 201 });
		}
	});

	it("may send requests to a platform in production like any client", async () => {
		const production = createApp(() => testDeps({ config: { ...testDeps().config, environment: "production" } }));
		expect((await register("https://evil.example", production)).status).toBe(201);
	});
});

describe("caching of the public list", () => {
	it("returns 304 to a client that has the current version, and 200 after a change", async () => {
		const poster = await registerAgent();
		await openTask(poster);
		const first = await nobody.send("listPublicTasks");
		const version = first.headers.get("ETag") ?? "";
		expect(version).toMatch(/^(W\/)?"[^"]+"$/);
		expect(first.headers.get("Cache-Control")).toBe("public, max-age=10");
		const origin = { "If-None-Match": version, Origin: "https://anywhere.example" };
		const second = await nobody.send("listPublicTasks", { headers: origin });
		expect({ status: second.status, body: await second.text(), version: second.headers.get("ETag") }).toEqual({
			status: 304,
			body: "",
			version,
		});
		expect(second.headers.get("Access-Control-Allow-Origin")).toBe("*");
		await openTask(poster);
		expect((await nobody.send("listPublicTasks", { headers: origin })).status).toBe(200);
	});
});

describe("public information", () => {
	it("says that the service runs and which judge it has, without reading storage", async () => {
		expect(await nobody.call("getHealth")).toMatchObject({ status: "ok", environment: "development", judge: "offline" });
		expect((await nobody.send("getHealth")).headers.get("X-D1-Bookmark")).toBeNull();
	});
});

describe("internal faults", () => {
	it("are 500 without any detail of the fault, which is in the log", async () => {
		const errors: unknown[] = [];
		const deps = testDeps({
			log: { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) },
			limits: {
				...testDeps().limits,
				general: { limit: () => Promise.reject(new Error("secret detail of the inside")) },
			},
		});
		const app = createApp(() => deps);
		const broken = createClient({ fetch: (request) => app.fetch(request) });
		const refusal = await broken.refused("whoAmI", "INTERNAL_ERROR");
		expect(JSON.stringify(refusal)).not.toContain("secret detail");
		expect(errors).toEqual([expect.objectContaining({ event: "request_failed", error: "Error: secret detail of the inside" })]);
	});
});

describe("a body that breaks off", () => {
	it("is reported as the sender's fault, under the endpoint's code for bodies, and not logged as an error", async () => {
		const errors: unknown[] = [];
		const deps = testDeps({ log: { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) } });
		const app = createApp(() => deps);
		const { key, agentId } = await registerAgent();
		const client = createClient({ key, fetch: (request) => app.fetch(request) });
		const broken = (type: string) => ({
			rawBody: countedStream(breakingOff([new TextEncoder().encode('{"display_name": "Ha')])).stream,
			headers: { "Content-Type": type, "X-Workspace-Path": "a.bin" },
		});
		await client.refused("registerAnonymous", "INVALID_BODY", broken("application/json"));
		await client.refused("storeWorkspaceFile", "INVALID_BODY", broken("application/json"));
		await client.refused("storeWorkspaceFile", "INVALID_BODY", broken("application/octet-stream"));
		await client.refused("postExternalScore", "VALIDATION_ERROR", { params: { id: agentId }, ...broken("application/json") });
		expect((await client.call("listWorkspaceFiles")).data).toEqual([]);
		expect(errors).toEqual([]);
	});
});

describe("read consistency", () => {
	it("returns a bookmark that a client may send back, and ignores a malformed one", async () => {
		const agent = await registerAgent();
		const bookmark = (await agent.send("whoAmI")).headers.get("X-D1-Bookmark") ?? "";
		expect(bookmark).not.toBe("");
		for (const value of [bookmark, "first-primary", "'; drop table agents", "x".repeat(5000)]) {
			expect((await agent.send("whoAmI", { headers: { "X-D1-Bookmark": value } })).status).toBe(200);
		}
	});
});
