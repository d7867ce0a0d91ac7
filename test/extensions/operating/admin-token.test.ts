import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Config } from "../../../src/config/env.ts";
import { ADMIN_ROLES, type AdminRole } from "../../../src/domain/actor.ts";
import { type Endpoint, endpoint, roleOf } from "../../../src/http/endpoint.ts";
import { buildApp, endpoints } from "../../support/app.ts";
import { createClient } from "../../support/client.ts";
import { configWith, testDeps } from "../../support/deps.ts";
import { sha256Hex } from "../../support/hashes.ts";
import { registerAgent } from "../../support/scenario.ts";

const TOKEN = `svc_admin_${"a".repeat(64)}`;
const OTHER_TOKEN = `svc_admin_${"b".repeat(64)}`;

const PROBE = {
	method: "get" as const,
	path: "/api/admin/probe",
	operationId: "probe",
	summary: "Probe",
	description: "Probe.",
	tags: ["Administration"] as const,
	auth: "admin" as const,
	rate: "general" as const,
	response: { status: 200 as const, description: "It is open.", schema: z.object({ open: z.literal(true) }) },
	errors: [],
	handle: async () => ({ open: true as const }),
};

const probe = endpoint(PROBE);
const tokensOf = (value: string) => configWith({ ADMIN_TOKEN_SHA256: value }).adminTokens;

const OPERATING = { actor: "admin:only", role: "operate" } as const;
const writing = (role?: AdminRole) =>
	endpoint({ ...PROBE, method: "post", path: "/api/admin/acts", operationId: "act", ...(role === undefined ? {} : { role }) });

function clientOf(adminTokens: Config["adminTokens"], key: string | null, endpoints: readonly Endpoint[] = [probe]) {
	const deps = testDeps();
	const app = buildApp(() => ({ ...deps, config: { ...deps.config, adminTokens } }), endpoints);
	return createClient({ key, fetch: (request) => app.fetch(request) });
}

describe("the admin token", () => {
	it("is refused when it is missing, malformed or wrong, and so is every other credential", async () => {
		const hash = await sha256Hex(TOKEN);
		const { key } = await registerAgent();
		for (const wrong of [null, "", OTHER_TOKEN, TOKEN.slice(0, -1), `${TOKEN}a`, TOKEN.toUpperCase(), hash, key, "a b"]) {
			const { headers } = await clientOf([{ ...OPERATING, sha256: hash }], wrong).refused(probe, "UNAUTHORIZED");
			expect(headers.get("WWW-Authenticate")).toContain("Bearer");
		}
	});

	it("opens nothing in a deployment that configures none", async () => {
		for (const key of [null, TOKEN]) await clientOf([], key).refused(probe, "NOT_FOUND");
	});

	it("is configured by its SHA-256, or as a list with names and roles", async () => {
		const [first, second] = [await sha256Hex(TOKEN), await sha256Hex(OTHER_TOKEN)];
		expect(tokensOf(first.toUpperCase())).toEqual([{ actor: `admin:${first.slice(0, 12)}`, role: "operate", sha256: first }]);
		expect(tokensOf(`on-call:moderate:${first}, billing:read:${second}`)).toEqual([
			{ actor: "admin:on-call", role: "moderate", sha256: first },
			{ actor: "admin:billing", role: "read", sha256: second },
		]);
		const wrong = [
			"",
			",",
			TOKEN,
			"abc",
			`a:owner:${first}`,
			`a:read:${TOKEN}`,
			`a:read:${first},a:read:${second}`,
			`a:read:${first},b:operate:${first}`,
			`a b:read:${first}`,
		];
		for (const value of wrong) expect(() => tokensOf(value), value).toThrow(/ADMIN_TOKEN_SHA256/);
	});
});

describe("the role of an admin token", () => {
	const hold = async (role: AdminRole, endpoints: readonly Endpoint[]) =>
		clientOf(
			[
				{ actor: "admin:other", role: "operate", sha256: await sha256Hex(OTHER_TOKEN) },
				{ actor: "admin:mine", role, sha256: await sha256Hex(TOKEN) },
			],
			TOKEN,
			endpoints,
		);

	it("decides what the token may do, and a refusal names both roles", async () => {
		const needs = { read: probe, moderate: writing("moderate"), operate: writing() } as const;
		for (const [at, held] of ADMIN_ROLES.entries()) {
			for (const [needed, role] of ADMIN_ROLES.entries()) {
				const client = await hold(held, [needs[role]]);
				if (needed <= at) expect(await client.call(needs[role])).toEqual({ open: true });
				else expect((await client.refused(needs[role], "FORBIDDEN")).message).toMatch(new RegExp(`role ${role}.*role ${held}`));
			}
		}
	});

	it("read suffices for what neither acts nor shows an agent's data, and moderate for moderation", () => {
		const needing = (role: AdminRole) =>
			endpoints.filter(({ auth, ...contract }) => auth === "admin" && roleOf(contract) === role).map(({ operationId }) => operationId);
		expect(needing("read").toSorted()).toEqual([
			"getHistory",
			"getMetrics",
			"getSpend",
			"getSwitches",
			"listAuditEntries",
			"listJobs",
			"listReports",
			"searchDirectory",
		]);
		expect(needing("moderate").toSorted()).toEqual([
			"reEvaluateSubmission",
			"resolveReport",
			"restoreAgent",
			"restoreTask",
			"suspendAgent",
			"takeDownTask",
			"voidSubmission",
		]);
	});
});
