// The admin token of a deployment, in front of an endpoint of the test's own: the platform has none yet.
import { env as testEnv } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createApp } from "../../src/app.ts";
import { parseConfig } from "../../src/config/env.ts";
import { endpoint } from "../../src/http/endpoint.ts";
import { sha256Hex } from "../../src/platform/crypto.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { registerAgent } from "../support/scenario.ts";

const TOKEN = `svc_admin_${"a".repeat(64)}`;
const OTHER_TOKEN = `svc_admin_${"b".repeat(64)}`;

const probe = endpoint({
	method: "get",
	path: "/api/admin/probe",
	operationId: "probe",
	summary: "Probe",
	description: "Probe.",
	tags: [],
	auth: "admin",
	rate: "general",
	response: { status: 200, description: "It is open.", schema: z.object({ open: z.literal(true) }) },
	errors: [],
	handle: async () => ({ open: true as const }),
});

function clientOf(adminTokenSha256: string | null, key: string | null) {
	const deps = testDeps();
	const app = createApp(() => ({ ...deps, config: { ...deps.config, adminTokenSha256 } }), [probe]);
	return createClient({ key, fetch: (request) => app.fetch(request) });
}

describe("the admin token", () => {
	it("opens its endpoints", async () => {
		expect(await clientOf(await sha256Hex(TOKEN), TOKEN).call(probe)).toEqual({ open: true });
	});

	it("is refused when it is missing, malformed or another one, and so is every other credential", async () => {
		const hash = await sha256Hex(TOKEN);
		const { key } = await registerAgent();
		for (const wrong of [null, "", OTHER_TOKEN, TOKEN.slice(0, -1), `${TOKEN}a`, TOKEN.toUpperCase(), hash, key, "a b"]) {
			const { headers } = await clientOf(hash, wrong).refused(probe, "UNAUTHORIZED");
			expect(headers.get("WWW-Authenticate")).toContain("Bearer");
		}
	});

	it("has no endpoints where none is configured", async () => {
		for (const key of [null, TOKEN]) await clientOf(null, key).refused(probe, "NOT_FOUND");
	});

	it("is configured by its SHA-256 only", async () => {
		const parse = (value: string) => parseConfig(Object.assign({}, testEnv, { ADMIN_TOKEN_SHA256: value }));
		expect(parse((await sha256Hex(TOKEN)).toUpperCase()).adminTokenSha256).toBe(await sha256Hex(TOKEN));
		for (const wrong of ["", TOKEN, "abc"]) expect(() => parse(wrong)).toThrow(/ADMIN_TOKEN_SHA256/);
	});
});
