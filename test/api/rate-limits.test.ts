import { beforeEach, describe, expect, it } from "vitest";
import { addressKey } from "../../src/http/networks.ts";
import { operations } from "../support/app.ts";
import { type CallInput, type Client, createClient, isThere, type Operation, randomAddress } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { registerAgent } from "../support/scenario.ts";

const UNKNOWN = { params: { id: "01900000-0000-7000-8000-000000000000" } };

/** Returns a stranger at one IP address. Its requests cost only their place in the allowance. */
function stranger(address = randomAddress()): Client {
	return createClient({ address });
}

async function spend(client: Client, operation: Operation, times: number, input?: CallInput): Promise<void> {
	const answers = await Promise.all(Array.from({ length: times }, () => client.send(operation, input)));
	expect(answers.filter(({ status }) => status === 429)).toEqual([]);
}

/** Opens a session with an agent's key, and returns its cookie header. */
async function openAt(agent: Client) {
	const { headers } = await agent.send("openSession");
	return { Cookie: headers.get("Set-Cookie")?.split(";")[0] ?? "" };
}

const WINDOW_MS = 60_000;
const ROOM_MS = 10_000;

/** The local counters start anew with each minute of the clock, so no test begins in the last seconds of one. */
beforeEach(async () => {
	const left = WINDOW_MS - (Date.now() % WINDOW_MS);
	if (left < ROOM_MS) await new Promise((resolve) => setTimeout(resolve, left));
});

describe("rate limits", () => {
	it("allow 10 submissions a minute from one IP address, and name the time to wait for the next", async () => {
		const client = stranger();
		await spend(client, "quickSubmit", 10, UNKNOWN);
		const { headers, message } = await client.refused("quickSubmit", "RATE_LIMITED", UNKNOWN);
		expect(headers.get("Retry-After")).toMatch(/^[1-9]\d?$/);
		expect(headers.get("RateLimit-Policy")).toBe('"submission";q=10;w=60');
		expect(headers.get("RateLimit")).toMatch(/^"submission";r=0;t=\d+$/);
		expect(message).toContain("10");
	});

	it("share one allowance of 10 between the requests that change tasks", async () => {
		const client = stranger();
		await spend(client, "createTask", 4);
		await spend(client, "publishTask", 3, UNKNOWN);
		await spend(client, "closeTask", 3, UNKNOWN);
		for (const [operation, input] of [
			["createTask", {}],
			["publishTask", UNKNOWN],
			["closeTask", UNKNOWN],
		] as const) {
			const { headers } = await client.refused(operation, "RATE_LIMITED", input);
			expect(headers.get("RateLimit-Policy")).toBe('"mutation";q=10;w=60');
		}
	});

	it("share one allowance of 60 between all other requests, unknown paths and wrong methods included", async () => {
		const client = stranger();
		await spend(client, "whoAmI", 20);
		await spend(client, "listPublicTasks", 20);
		await spend(client, { ...operations.whoAmI, path: "/api/v1/nothing" }, 10);
		await spend(client, { ...operations.whoAmI, method: "delete" }, 10);
		const { headers } = await client.refused("getTask", "RATE_LIMITED", UNKNOWN);
		expect(headers.get("RateLimit-Policy")).toBe('"general";q=60;w=60');
		expect((await client.send({ ...operations.whoAmI, path: "/api/v1/nothing" })).status).toBe(429);
	});

	it("allow 20 searches a minute for one key, from any addresses and through MCP, and do not count its other requests", async () => {
		const [agent, other] = [await registerAgent(), await registerAgent()];
		const query = { query: { query: "quota" } };
		await spend(agent, "searchTasks", 19, query);
		if (isThere("callMcp")) {
			const params = { name: "find_tasks", arguments: { query: "quota" } };
			const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
			const rawBody = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
			const call = () => agent.send("callMcp", { rawBody, headers });
			expect(await (await call()).text()).not.toContain("RATE_LIMITED");
			expect(await (await call()).text()).toContain("RATE_LIMITED");
		} else await spend(agent, "searchTasks", 1, query);
		const { headers } = await agent.refused("searchTasks", "RATE_LIMITED", query);
		expect(headers.get("RateLimit-Policy")).toBe('"search";q=20;w=60');
		for (const scheme of ["bearer", "BEARER", "Bearer "]) {
			await createClient().refused("searchTasks", "RATE_LIMITED", { ...query, headers: { Authorization: `${scheme} ${agent.key}` } });
		}
		expect((await agent.send("whoAmI")).status).toBe(200);
		expect((await other.send("searchTasks", query)).status).toBe(200);
		const session = { headers: await openAt(agent) };
		await spend(createClient(), "searchTasks", 20, { ...query, ...session });
		await createClient().refused("searchTasks", "RATE_LIMITED", { ...query, ...session });
		expect((await createClient().send("whoAmI", session)).status).toBe(200);
	});

	it("give a signed-in identity 300 requests for any of its IP addresses and sessions, apart from its key", async () => {
		const agent = await registerAgent();
		const sessions = await Promise.all([openAt(agent), openAt(agent)]);
		for (const headers of sessions) await spend(createClient(), "whoAmI", 150, { headers });
		for (const session of sessions) {
			const { headers } = await createClient().refused("whoAmI", "RATE_LIMITED", { headers: session });
			expect(headers.get("RateLimit-Policy")).toBe('"session";q=300;w=60');
		}
		expect((await agent.send("whoAmI")).headers.get("RateLimit-Policy")).toBe('"general";q=60;w=60');
	});

	it("count invented sessions for their IP address, like other strangers", async () => {
		const [client, input] = [stranger(), { headers: { Cookie: `__Host-session=svc_ses_${"0".repeat(64)}` } }];
		await spend(client, "whoAmI", 60, input);
		const { headers } = await client.refused("whoAmI", "RATE_LIMITED", input);
		expect(headers.get("RateLimit")).toMatch(/^"general";r=0/);
	});

	it("count each class and each IP address separately", async () => {
		const client = stranger();
		await spend(client, "quickSubmit", 10, UNKNOWN);
		await client.refused("quickSubmit", "RATE_LIMITED", UNKNOWN);
		await spend(client, "createTask", 1);
		await spend(client, "whoAmI", 1);
		await spend(stranger(), "quickSubmit", 1, UNKNOWN);
	});

	it("count an IPv6 network of /64 as one IP address", async () => {
		const network = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}:7`;
		const addresses = [`${network}::1`, `${network}:0:0:0:2`, `${network}:ffff::`, `${network.toUpperCase()}::4`];
		await Promise.all(Array.from({ length: 10 }, (_, index) => stranger(addresses[index % 4]).send("quickSubmit", UNKNOWN)));
		await stranger(`${network}::99`).refused("quickSubmit", "RATE_LIMITED", UNKNOWN);
		await spend(stranger(`${network.slice(0, -1)}8::1`), "quickSubmit", 1, UNKNOWN);
	});

	it("count by key if many clients share one network, which also has a limit", async () => {
		const address = `2a06:98c0:3600::${Math.floor(Math.random() * 65_536).toString(16)}`;
		const agents = await Promise.all(["One", "Another"].map((name) => registerAgent(name)));
		const [one, another] = agents.map(({ key }) => createClient({ key, address }));
		if (one === undefined || another === undefined) throw new Error("There are two agents.");
		await spend(one, "quickSubmit", 10, UNKNOWN);
		const { message, headers } = await one.refused("quickSubmit", "RATE_LIMITED", UNKNOWN);
		expect(message).toContain("one key");
		expect(headers.get("RateLimit-Policy")).toBe('"submission";q=10;w=60');
		await spend(another, "quickSubmit", 10, UNKNOWN);
		// Without a credential the clients share one allowance, as everywhere.
		await Promise.all(Array.from({ length: 10 }, () => stranger(address).send("quickSubmit", UNKNOWN)));
		await stranger(address).refused("quickSubmit", "RATE_LIMITED", UNKNOWN);
		const { limits } = testDeps();
		await Promise.all(Array.from({ length: 1_000 }, () => limits.shared.limit({ key: addressKey(address) })));
		const crowded = await createClient({ key: "svc_sk_wrong", address }).refused("whoAmI", "RATE_LIMITED");
		expect(crowded.headers.get("RateLimit-Policy")).toBe('"shared";q=1000;w=60');
	});

	it("do not apply to registration and to paths outside of the API", async () => {
		const client = stranger();
		await spend(client, "registerAnonymous", 70);
		await spend(client, "getHealth", 70);
	});

	it("are checked before everything else", async () => {
		const client = createClient({ key: "svc_sk_wrong", address: randomAddress() });
		const bad = { params: { id: "no-uuid" }, rawBody: "{", headers: { "Content-Type": "text/plain" } };
		for (let call = 0; call < 10; call += 1) await client.refused("quickSubmit", "unauthorized", bad);
		await client.refused("quickSubmit", "RATE_LIMITED", bad);
	});
});
