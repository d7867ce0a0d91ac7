// Cloudflare's cache in front of the Worker ignores credentials, and stores every response that does not forbid it. So each response must say who
// may store it.
import { describe, expect, it } from "vitest";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { createSharedCache, type SharedCache } from "../../src/platform/shared-cache.ts";
import { ADMIN_TOKEN } from "../support/admin.ts";
import { createApp, endpoints } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { createStage } from "../support/fault-stage.ts";
import { outsideServices } from "../support/outside-services.ts";
import { readyRead, setScene } from "../support/read-calls.ts";
import { createDraft, hoursFromNow, registerAgent } from "../support/scenario.ts";
import { expectSecurityHeaders } from "../support/security-headers.ts";
import { WRITE_CALLS } from "../support/write-calls.ts";

const contracts: readonly EndpointContract[] = endpoints;
/** The tests' deployment has no OAuth and no security contact. */
const NOT_CONFIGURED = ["getSecurityContact"];

describe("a success of every GET, because caches store no other,", async () => {
	const stage = createStage(outsideServices());
	const scene = await setScene(stage);

	it.each(contracts.filter(({ method }) => method === "get").map((contract) => [contract.operationId, contract] as const))(
		"of %s says who may store it",
		async (name, contract) => {
			const write = WRITE_CALLS[name];
			const ready = write === undefined ? await readyRead(scene, contract) : await write(stage);
			const { status, headers, text } = await stage.play(contract, ready);
			expect({ status, text }).toEqual({
				status: NOT_CONFIGURED.includes(name) ? 404 : expect.toSatisfy((code: number) => code < 400),
				text,
			});
			expectSecurityHeaders(contract, new Response(null, { status, headers }));
			expect(headers.get("Strict-Transport-Security")).toMatch(/^max-age=\d{8,}/);
			const isShared = contract.shared !== undefined && status === 200;
			expect(headers.has("X-D1-Bookmark") && isShared).toBe(false);
			expect(headers.has("Set-Cookie") && isShared).toBe(false);
			if (!isShared) return;
			expect(headers.get("Cloudflare-CDN-Cache-Control")).toBe(`public, max-age=${contract.shared?.seconds}, must-revalidate`);
			const tags = { task: `task-${scene.names["tasks"]}`, tasks: "tasks", deployment: null } as const;
			expect(headers.get("Cache-Tag")).toBe(tags[contract.shared?.of ?? "deployment"]);
		},
	);
});

describe("a response that is stored for everyone", () => {
	it("belongs to a GET request without a credential", () => {
		const shared = contracts.filter(({ shared: one }) => one !== undefined);
		expect(shared.length).toBeGreaterThan(10);
		expect(shared.filter(({ auth, method }) => auth !== "none" || method !== "get")).toEqual([]);
	});

	it("has one form for each Accept header, all purged together", async () => {
		for (const accept of ["text/html", "application/json", "text/markdown"]) {
			const { headers } = await createClient().send("getHome", { headers: { Accept: accept } });
			expect({ accept, vary: headers.get("Vary"), tag: headers.get("Cache-Tag") }).toEqual({ accept, vary: "Accept", tag: "tasks" });
		}
	});
});

describe("a change of a task", () => {
	/** Returns a platform with a shared cache that records its purges. */
	function withCache(sharedCache: (log: string[]) => SharedCache) {
		const purged: string[] = [];
		const cache = sharedCache(purged);
		const fetch = async (request: Request) => {
			const deps = testDeps({ sharedCache: cache, log: { info: () => {}, error: () => {} } });
			const response = await createApp(() => deps).fetch(request);
			await deps.settled();
			return response;
		};
		return { purged, as: (key: string) => createClient({ key, fetch }) };
	}

	it("purges what shows the task, and what lists tasks", async () => {
		const { purged, as } = withCache((tags) => ({ purge: async (more) => void tags.push(...more) }));
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const at = { params: { id } };
		const seen = () => new Set(purged.splice(0));
		const both = new Set([`task-${id}`, "tasks"]);
		await as(poster.key).call("publishTask", at);
		expect(seen()).toEqual(both);
		await as(poster.key).call("extendTask", { ...at, body: { deadline: hoursFromNow(500) } });
		expect(seen()).toEqual(both);
		await as(ADMIN_TOKEN).call("takeDownTask", { ...at, body: { reason: "It breaks the rules." } });
		expect(seen()).toEqual(both);
		await as(poster.key).call("closeTask", at);
		expect(seen()).toEqual(both);
	});

	it("takes effect even if Cloudflare refuses the purge or fails", async () => {
		const refusing = async () => ({ success: false, errors: [{ code: 1, message: "Too many purges." }] });
		const failing = () => Promise.reject(new Error("The network is away."));
		const log = { info: () => {}, error: () => {} };
		for (const purge of [refusing, failing]) {
			const { as } = withCache(() => createSharedCache({ purge }, log));
			const poster = await registerAgent();
			const { id } = await createDraft(poster);
			expect(await as(poster.key).call("publishTask", { params: { id } })).toMatchObject({ status: "open" });
		}
	});

	it("is one purge with all tags, of at most 100 each time", async () => {
		const sent: string[][] = [];
		const purge = async ({ tags = [] }: CachePurgeOptions) => {
			sent.push(tags);
			return { success: true, errors: [] };
		};
		const cache = createSharedCache({ purge }, { info: () => {}, error: () => {} });
		const ids = Array.from({ length: 150 }, (_, index) => `task-${index}`);
		await Promise.all(ids.map((id) => cache.purge([id, "tasks"])));
		expect(sent.map((tags) => tags.length)).toEqual([100, 51]);
		expect(new Set(sent.flat())).toEqual(new Set([...ids, "tasks"]));
		await createSharedCache(undefined, { info: () => {}, error: () => {} }).purge(["tasks"]);
	});
});
