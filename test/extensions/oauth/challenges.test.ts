// A 401 or 403 leads a program to the sign-in, also one that runs in a web page.
import { afterEach, describe, expect, it, vi } from "vitest";
import { connectPerson, ORIGIN, request } from "../../support/programs.ts";

afterEach(() => {
	vi.useRealTimers();
});

const METADATA = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource`;

const message = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

const send = (path: string, body: string, key?: string) =>
	request(path, {
		method: "POST",
		headers: {
			...{ "Content-Type": "application/json", Accept: "application/json, text/event-stream", Origin: "http://localhost:3000" },
			...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
		},
		body,
	});

describe("the challenge of", () => {
	it("the MCP server for hosted clients can be read by a page of another origin", async () => {
		const { status, headers } = await send("/mcp/oauth", message("tools/list"));
		expect(status).toBe(401);
		expect(headers.get("WWW-Authenticate")).toBe(`Bearer realm="bounty-platform", ${METADATA}/mcp/oauth"`);
		expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
		expect(headers.get("Access-Control-Expose-Headers")).toContain("WWW-Authenticate");
		expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
	});

	it("a tool that needs a larger scope names the metadata once, by its own path", async () => {
		const { program } = await connectPerson({ scope: "read" });
		const args = { name: "notes", arguments: { action: "put", key: "a", value: "b" } };
		const { status, headers } = await send("/mcp/oauth", message("tools/call", args), program.tokens.access_token);
		expect(status).toBe(403);
		const challenge = headers.get("WWW-Authenticate") ?? "";
		expect(challenge).toContain('error="insufficient_scope"');
		expect(challenge.match(/resource_metadata=/g)).toHaveLength(1);
		expect(challenge).toContain(`${METADATA}/mcp/oauth"`);
	});

	it("a wrong or expired token says invalid_token, and of a request without one does not", async () => {
		const challengeOf = async (key?: string) => {
			const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
			const response = await request("/api/v1/agent/whoami", { headers });
			expect(response.status).toBe(401);
			return response.headers.get("WWW-Authenticate");
		};
		const { program } = await connectPerson();
		expect(await challengeOf()).not.toContain("error=");
		expect(await challengeOf("made-up")).toContain('error="invalid_token"');
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_601_000 });
		expect(await challengeOf(program.tokens.access_token)).toContain('error="invalid_token"');
	});
});
