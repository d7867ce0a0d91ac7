import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createHubs } from "../../src/compose/hubs.ts";
import { parseConfig, readConfig } from "../../src/config/env.ts";
import { placeEndpoint } from "../../src/config/jurisdiction.ts";
import { tellRelays } from "../../src/durable-objects/tell-relays.ts";
import { taskVerb } from "../../src/ports/task.ts";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { newIsolate, testDeps } from "../support/deps.ts";

const verb = taskVerb("a verb that no object has", () => null);
const PRODUCTION = { ENVIRONMENT: "production", PUBLIC_URL: "https://a.example", SECRETS_KEY: btoa("1".repeat(32)), JUDGE: undefined };
const entries = [{ seq: 1, data: "" }];

/** Each way to an object, by the binding of its class. */
const CALLS: Readonly<Record<string, (bindings: Env) => Promise<unknown>>> = {
	TASK: (bindings) => createHubs(bindings).callTask("name", verb, { input: null, now: 0 }),
	WORKSPACE: (bindings) => createHubs(bindings).callWorkspace("name", (workspace) => workspace.exportInbox()),
	WEBHOOK_SENDER: (bindings) => createHubs(bindings).callSender("name", (sender) => sender.hasten("id")),
	TARGET_HOST: (bindings) => createHubs(bindings).enterHost("name", "holder", "asked"),
	BOUNTIES: (bindings) => createHubs(bindings).readBounties(0),
	GRADER: (bindings) => createHubs(bindings).callGrader("name", "http://grader/", {}),
	GRANTS: (bindings) => createHubs(bindings).callGrants("name", (grants) => grants.readRequest(0)),
	WATCH: (bindings) => createHubs(bindings).callWatch((watch) => watch.readLastSweep()),
	TOPIC_RELAY: (bindings) =>
		tellRelays(bindings, [{ name: "name", membership: "m", delivered: 0, entries }], { confirm: () => {}, unwatch: () => {} }),
};

/** A call fails because a spy has no objects, with a promise or at once. */
async function attempt(call: (bindings: Env) => Promise<unknown>, bindings: Env): Promise<void> {
	try {
		await call(bindings);
	} catch {
		// The spy has been asked.
	}
}

/** Returns bindings whose namespaces answer nothing, and what they were asked for. */
function spyOn(variables: Readonly<Record<string, unknown>>) {
	const asked: string[] = [];
	const stub = (binding: string, place: string) => ({
		getByName: (name: string) => {
			asked.push(`${binding} ${place} ${name}`);
			throw new Error("A spy has no objects.");
		},
	});
	const namespaces = Object.keys(CALLS).map((binding) => [
		binding,
		{ ...stub(binding, "anywhere"), jurisdiction: (place: string) => stub(binding, place) },
	]);
	const bindings: Env = Object.assign({ ...env }, variables, Object.fromEntries(namespaces));
	return { asked, bindings };
}

describe("the objects of a deployment", () => {
	it.each(Object.entries(CALLS))("%s is in its jurisdiction", async (binding, call) => {
		const { asked, bindings } = spyOn({ ...PRODUCTION, JURISDICTION: "eu" });
		await attempt(call, bindings);
		expect(asked).toEqual([expect.stringMatching(`^${binding} eu (name|bounties|watch)$`)]);
	});

	it.each(Object.entries(CALLS))("%s is anywhere without one", async (binding, call) => {
		const { asked, bindings } = spyOn({ ...PRODUCTION });
		await attempt(call, bindings);
		expect(asked).toEqual([expect.stringMatching(`^${binding} anywhere (name|bounties|watch)$`)]);
	});

	it("are all that wrangler.toml binds", () => {
		const bound = Object.entries(env).filter(([, value]) => value?.constructor?.name === "DurableObjectNamespace");
		expect(bound.map(([name]) => name).toSorted()).toEqual(Object.keys(CALLS).toSorted());
	});

	it.each([
		["a typo", { ...PRODUCTION, JURISDICTION: "europe" }],
		["a jurisdiction locally, where there is none", { JURISDICTION: "eu" }],
	])("are not reached with %s", async (_, variables) => {
		const { asked, bindings } = spyOn(variables);
		await expect(createHubs(bindings).callTask("name", verb, { input: null, now: 0 })).rejects.toMatchObject({ code: "SERVICE_PAUSED" });
		expect(asked).toEqual([]);
	});
});

describe("a deployment with a jurisdiction that is set locally", () => {
	it("writes nothing, and says why", async () => {
		const config = readConfig(Object.assign({}, env, { JURISDICTION: "eu" }));
		const deps = () => testDeps({ config, ...newIsolate() });
		const client = createClient({ fetch: (request) => createApp(deps).fetch(request) });
		const { message } = await client.refused("registerAnonymous", "SERVICE_PAUSED", { body: { display_name: "Ada" } });
		expect(message).toContain("JURISDICTION");
		await client.call("listPublicTasks");
	});
});

describe("the first write", () => {
	it("records the jurisdiction, and another one writes nothing later", async () => {
		const first = createClient({ fetch: (request) => createApp(() => testDeps(newIsolate())).fetch(request) });
		await first.call("registerAnonymous", { body: { display_name: "Ada" } });
		expect((await env.DB.prepare("select jurisdiction from placement").all()).results).toEqual([{ jurisdiction: "none" }]);
		const placement = { jurisdiction: "eu", problem: null } as const;
		const deps = () => testDeps({ config: { ...parseConfig(env), placement }, ...newIsolate() });
		const moved = createClient({ fetch: (request) => createApp(deps).fetch(request) });
		await moved.refused("registerAnonymous", "SERVICE_PAUSED", { body: { display_name: "Ada" } });
	});
});

describe("the S3 host of the bucket", () => {
	const account = "0".repeat(32);
	it.each([
		[`https://${account}.r2.cloudflarestorage.com`, "eu", `https://${account}.eu.r2.cloudflarestorage.com`],
		[`https://${account}.eu.r2.cloudflarestorage.com`, "eu", `https://${account}.eu.r2.cloudflarestorage.com`],
		[`https://${account}.r2.cloudflarestorage.com`, null, `https://${account}.r2.cloudflarestorage.com`],
		["https://s3.example.com/path", "eu", "https://s3.example.com/path"],
	] as const)("%s in %s is %s", (endpoint, jurisdiction, placed) => {
		expect(placeEndpoint(endpoint, jurisdiction)).toBe(placed);
	});
});
