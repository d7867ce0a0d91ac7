import { describe, expect, it } from "vitest";
import { endpoints } from "../../../../src/compose/endpoints.ts";
import { nameOf, readDocument } from "../../../../src/extensions/oauth/clients.ts";
import {
	canonicalResource,
	describeRedirect,
	keyOfCode,
	readScope,
	readUserCode,
	userCodeOf,
	wordsOf,
} from "../../../../src/extensions/oauth/rules.ts";
import { isReading } from "../../../../src/http/endpoint.ts";

describe("scopes", () => {
	it("are read unless act is asked for, and other words are ignored", () => {
		expect([[], ["read"], ["offline_access"], ["act"], ["openid", "act"]].map(readScope)).toEqual(["read", "read", "read", "act", "act"]);
		expect(wordsOf("act")).toEqual(["read", "act"]);
	});

	it("let a program that reads call every GET with a key, and what else changes nothing", () => {
		const withKey = endpoints.filter(({ auth }) => auth === "key");
		const reading = withKey.filter(isReading);
		expect(withKey.filter(({ method }) => method === "get").every(isReading)).toBe(true);
		expect(
			reading
				.filter(({ method }) => method !== "get")
				.map(({ operationId }) => operationId)
				.toSorted(),
		).toEqual(["checkSubmission", "lintTask"]);
	});

	it("let no program make credentials", () => {
		const forHolders = endpoints.filter(({ isForHolders }) => isForHolders === true).map(({ operationId }) => operationId);
		expect(forHolders).toEqual(expect.arrayContaining(["addPasskey", "createApiKey", "createOperatorToken", "endGrant", "removePasskey"]));
	});
});

describe("a resource", () => {
	it("is the deployment by each of its names", () => {
		const origin = "https://bounty.test";
		const own = [origin, `${origin}/`, `${origin}/mcp`, `${origin}/mcp/oauth`];
		expect(own.map((each) => canonicalResource(each, origin))).toEqual(own.map(() => origin));
		for (const other of ["https://bounty.test.evil/mcp", `${origin}/api`, "http://bounty.test", `${origin}/mcp/`]) {
			expect(canonicalResource(other, origin)).toBe(other);
		}
	});
});

describe("codes", () => {
	it("name their grant, and other text does not", () => {
		const key = "01928f6e-6c8a-7cc1-9f6e-6a5b0a1c2d3e:kK3nV2r0Q4dXbT9s";
		expect(keyOfCode(`${key}:${"x".repeat(32)}`)).toBe(key);
		for (const other of ["", key, `${key}:short`, `device:abc:${"x".repeat(32)}`]) expect(keyOfCode(other)).toBeNull();
	});

	it("of people are read as they are typed", () => {
		expect(["wdjb-mjht", " WDJB MJHT ", "WDJBMJHT"].map(readUserCode)).toEqual(["WDJBMJHT", "WDJBMJHT", "WDJBMJHT"]);
		expect(["", "WDJB", "WDJB-MJH1", "AEIO-UAEI", "WDJB-MJHTT"].map(readUserCode)).toEqual([null, null, null, null, null]);
		expect(userCodeOf(new Uint8Array([255, 0, 19, 1, 2, 3, 4, 5, 6, 7]))).toBe("BZCDFGHJ");
	});
});

describe("a redirect", () => {
	it("is described by its host", () => {
		expect(describeRedirect("https://client.example:8443/callback")).toEqual({ host: "client.example:8443", isLocal: false });
		for (const local of ["http://localhost:1/x", "http://127.0.0.1:1/x", "http://[::1]:1/x"])
			expect(describeRedirect(local).isLocal).toBe(true);
		expect(describeRedirect("https://localhost.evil.test/").isLocal).toBe(false);
	});
});

describe("a document about a client", () => {
	const id = "https://client.example/oauth.json";
	const valid = { client_id: id, client_name: "Client", redirect_uris: ["https://client.example/callback"] };

	it("makes a client without a secret", () => {
		expect(readDocument(id, JSON.stringify({ ...valid, logo_uri: "x" }))).toEqual({
			clientId: id,
			clientName: "Client",
			redirectUris: valid.redirect_uris,
			grantTypes: ["authorization_code", "refresh_token"],
			responseTypes: ["code"],
			tokenEndpointAuthMethod: "none",
		});
	});

	it("with a name of any length has a shown name of whole characters", () => {
		for (const client_name of [`${"x".repeat(99)}🦊`, "🦊".repeat(100), `Bounty command line ${"🦊".repeat(80)}`]) {
			const client = readDocument(id, JSON.stringify({ ...valid, client_name }));
			const name = client === null ? "" : nameOf(client);
			expect(name).toContain("🦊");
			expect(name.isWellFormed()).toBe(true);
			expect([...name].length).toBeLessThanOrEqual(100);
		}
	});

	it.each([
		["another client", { ...valid, client_id: "https://evil.test/oauth.json" }],
		["no name", { ...valid, client_name: " " }],
		["no redirect", { ...valid, redirect_uris: [] }],
		["a script as its redirect", { ...valid, redirect_uris: ["javascript:alert(1)"] }],
		["a secret", { ...valid, client_secret: "x" }],
		["a way to authenticate that needs a secret", { ...valid, token_endpoint_auth_method: "client_secret_basic" }],
	])("with %s makes none", (_, document) => {
		expect(readDocument(id, JSON.stringify(document))).toBeNull();
	});

	it("that is not JSON makes none", () => {
		for (const text of ["", "{", "[]", "null", "<html>"]) expect(readDocument(id, text)).toBeNull();
	});
});
