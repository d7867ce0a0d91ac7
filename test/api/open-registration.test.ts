// Caps per network and day, and a proof of work, protect a platform on which anyone can register.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Config } from "../../src/config/env.ts";
import { leadingZeroBits } from "../../src/domain/proof-of-work.ts";
import { runSweep } from "../../src/queues/sweeps.ts";
import { createApp } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { countUsedChallenges, forgetNetworkUsage, readNetworkUsage } from "../support/directory.ts";
import { createFleet } from "../support/identities.ts";
import { manualClock } from "../support/manual-clock.ts";
import { tool } from "../support/mcp.ts";
import { attachmentForm, createDraft, GOOD_FILES, openTask, registerAgent, testSuiteForm } from "../support/scenario.ts";
import { DAY_MS } from "../support/times.ts";

const at = (id: string) => ({ params: { id } });
const files = { body: { files: GOOD_FILES } };

/** Returns the platform with a changed configuration and its own clock. */
function configured(change: Partial<Config>) {
	const clock = manualClock();
	const config = { ...testDeps().config, ...change };
	const deps = () => testDeps({ config, clock });
	let calls = 0;
	const fetch = async (request: Request) => {
		const own = deps();
		const response = await createApp(() => own).fetch(request);
		await own.settled();
		calls += own.db.use.calls;
		return response;
	};
	const as = (key: string | null, address: string) => createClient({ key, address, fetch });
	return { clock, as, fetch, callsOfDatabase: () => calls, sweep: () => runSweep(deps(), "forget") };
}

/** Returns a new network for each test, because the caps count every row of a network. */
function newNetwork() {
	const [a, b] = crypto.getRandomValues(new Uint8Array(2));
	return (host: number) => `203.${a}.${b}.${host}`;
}

const capped = (caps: Partial<Config["networkCaps"]>) =>
	configured({ networkCaps: { agents: null, bytes: null, publishes: null, ...caps } });

async function statusesOf(answers: readonly Promise<Response>[]): Promise<number[]> {
	return (await Promise.all(answers)).map(({ status }) => status).toSorted();
}

describe("a network's cap for anonymous agents", () => {
	it("limits registrations per day, in parallel or in sequence, and says what to do then", async () => {
		const { as, clock, callsOfDatabase } = capped({ agents: 3 });
		const [address, elsewhere] = [newNetwork(), newNetwork()];
		const register = (host: number) => as(null, address(host)).send("registerAnonymous");
		expect(await statusesOf([1, 2, 3, 4, 5, 6].map(register))).toEqual([201, 201, 201, 429, 429, 429]);
		const { headers, message, details } = await as(null, address(77)).refused("registerAnonymous", "RATE_LIMITED");
		expect(message).toContain("/api/auth/claim");
		expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
		expect(Number(headers.get("Retry-After"))).toBeLessThanOrEqual(86_400);
		expect(details).toMatchObject({ next_actions: [{ href: expect.stringContaining("/api/auth/providers") }] });
		// The refusals that follow cost the database nothing.
		const before = callsOfDatabase();
		expect(await statusesOf([1, 2, 3].map(register))).toEqual([429, 429, 429]);
		expect(callsOfDatabase()).toBe(before);
		await as(null, elsewhere(1)).call("registerAnonymous");
		const ofOneCustomer = (subnet: number) => as(null, `2001:db8:1:${subnet}::1`).send("registerAnonymous");
		expect(await statusesOf([1, 2, 3, 4, 5].map(ofOneCustomer))).toEqual([201, 201, 201, 429, 429]);
		await as(null, "2001:db8:2:1::1").call("registerAnonymous");
		clock.advance(Number(headers.get("Retry-After")) * 1000);
		await as(null, address(1)).call("registerAnonymous");
	});

	it("limits how many tasks they publish, in every mode and in parallel, and nothing is given back", async () => {
		const { as } = capped({ publishes: 2 });
		const address = newNetwork();
		const poster = await registerAgent();
		const drafts = await Promise.all(Array.from({ length: 5 }, () => createDraft(poster)));
		const publish = (id: string, host: number) => as(poster.key, address(host)).send("publishTask", at(id));
		expect(await statusesOf(drafts.map(({ id }, host) => publish(id, host)))).toEqual([200, 200, 429, 429, 429]);
		const external = await createDraft(poster, { eval_mode: "external", eval_callback_url: "https://judge.example/score" });
		await as(poster.key, address(9)).refused("publishTask", "RATE_LIMITED", at(external.id));
		const elsewhere = newNetwork();
		const missing = crypto.randomUUID();
		expect((await publish(external.id, 1)).status).toBe(429);
		await as(poster.key, elsewhere(1)).refused("publishTask", "NOT_FOUND", at(missing));
		await as(poster.key, elsewhere(1)).call("publishTask", at(external.id));
		const late = await createDraft(poster);
		await as(poster.key, elsewhere(1)).refused("publishTask", "RATE_LIMITED", at(late.id));
	});

	it("is ten times as high for a person, with all of its agents and those of its operator tokens", async () => {
		const { as } = capped({ publishes: 1 });
		const fleet = await createFleet();
		const children = [await fleet.mint(), await fleet.mint()];
		const statuses: number[] = [];
		for (let number = 0; number < 11; number += 1) {
			const by = children[number % 2];
			if (by === undefined) throw new Error("There is no such child.");
			const { id } = await createDraft(by);
			statuses.push((await as(by.key, newNetwork()(1)).send("publishTask", at(id))).status);
		}
		expect(statuses).toEqual([...Array(10).fill(200), 429]);
	});

	it("is each agent's own where strangers share addresses, and five times as high for all of them", async () => {
		await forgetNetworkUsage();
		const { as } = capped({ publishes: 1 });
		const publishAs = async (address: string) => {
			const poster = await registerAgent();
			const { id } = await createDraft(poster);
			return (await as(poster.key, address).send("publishTask", at(id))).status;
		};
		const shared = ["2a06:98c0:3600::103", "160.79.104.7", "160.79.111.254", "153.61.223.1", "23.102.140.113", "40.84.180.143"];
		const statuses: number[] = [];
		for (const address of shared) statuses.push(await publishAs(address));
		expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
		expect([await publishAs("160.79.112.1"), await publishAs("23.102.140.128")]).toEqual([200, 200]);
	});

	it("does not count what the platform judges, which the ledger of money does", async () => {
		const { as } = capped({ publishes: 1 });
		const address = newNetwork();
		const agents = await Promise.all(Array.from({ length: 3 }, () => registerAgent()));
		const taskId = await openTask(await registerAgent());
		for (const { key } of agents) await as(key, address(1)).call("quickSubmit", { ...at(taskId), ...files });
	});

	it("limits the bytes that they store, for every kind of upload, and stores nothing beyond", async () => {
		const { as } = capped({ bytes: 5_000 });
		const address = newNetwork();
		const agent = await registerAgent();
		const client = as(agent.key, address(1));
		const { id: draftId } = await createDraft(agent);
		await client.call("addAttachment", { ...at(draftId), rawBody: attachmentForm() });
		const file = (bytes: number) => ({ body: { path: "notes.bin", content_base64: new Uint8Array(bytes).toBase64() } });
		await client.send("storeWorkspaceFile", file(4_900));
		await client.refused("storeWorkspaceFile", "RATE_LIMITED", file(200));
		expect(await agent.call("getWorkspaceFileQuota")).toMatchObject({ files_used: 1, bytes_used: 4_900 });
		const taskId = await openTask(await registerAgent());
		await client.refused("quickSubmit", "RATE_LIMITED", { ...at(taskId), ...files });
		const { id } = await client.call("createSubmission", at(taskId));
		const zip = { rawBody: new Uint8Array(300), headers: { "Content-Type": "application/zip" } };
		await client.refused("uploadArtifact", "RATE_LIMITED", { ...at(id), ...zip });
		expect((await agent.call("getSubmission", at(id))).artifact).toBeNull();
	});

	it("limits the bytes of test suites that clones copy, and makes no draft beyond", async () => {
		const { as } = capped({ bytes: 200 });
		const agent = await registerAgent();
		const client = as(agent.key, newNetwork()(1));
		const { id } = await createDraft(agent);
		await client.call("uploadTestSuite", { ...at(id), rawBody: testSuiteForm() });
		await client.call("cloneTask", at(id));
		await client.refused("cloneTask", "RATE_LIMITED", at(id));
		expect((await agent.call("listTasks", { query: { owner: "me" } })).data).toHaveLength(2);
	});

	it("stores no IP address in the database, and forgets the days before yesterday", async () => {
		const { as, clock, sweep } = capped({ agents: 3 });
		const address = newNetwork();
		await as(null, address(1)).call("registerAnonymous");
		const rows = await readNetworkUsage();
		expect(rows.length).toBeGreaterThan(0);
		expect(JSON.stringify(rows)).not.toContain("203.");
		clock.advance(3 * DAY_MS);
		await sweep();
		expect(await readNetworkUsage()).toEqual([]);
	});
});

const challengeDetails = z.object({ challenge: z.string(), algorithm: z.literal("sha256"), bits: z.number(), expires_at: z.string() });

async function solve(challenge: string, bits: number, isGood = true): Promise<string> {
	for (let solution = 0; ; solution += 1) {
		const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${challenge}:${solution}`));
		if (leadingZeroBits(new Uint8Array(hash)) >= bits === isGood) return String(solution);
	}
}

async function askForChallenge(client: Client) {
	const { details, message } = await client.refused("registerAnonymous", "FORBIDDEN");
	const asked = challengeDetails.parse(details);
	expect(message).toContain(asked.challenge);
	return asked;
}

const proofOf = (challenge: string, solution: string) => ({ body: { proof_of_work: { challenge, solution } } });

describe("a deployment that requires a proof of work", () => {
	const { as, clock, fetch, sweep } = configured({ registrationChallenge: { bits: 8 } });
	const client = as(null, "203.0.113.7");

	it("registers a caller that solves its challenge, once", async () => {
		const { challenge, bits } = await askForChallenge(client);
		expect(bits).toBe(8);
		const proof = proofOf(challenge, await solve(challenge, bits));
		expect(await statusesOf([1, 2, 3, 4].map(() => client.send("registerAnonymous", proof)))).toEqual([201, 409, 409, 409]);
		await client.refused("registerAnonymous", "CONFLICT", proof);
	});

	it("gives an MCP client all that it needs, and registers it with its proof", async () => {
		const register = (args: Readonly<Record<string, unknown>>) => tool("register", args, { fetch });
		const refused = await register({});
		const [, challenge = ""] = /SHA-256 of "([\w.]+):<solution>" begins with 8 zero bits/.exec(refused.content[0]?.text ?? "") ?? [];
		const solution = await solve(challenge, 8);
		expect((await register({ proof_of_work: { challenge, solution } })).structuredContent).toHaveProperty("api_key");
	});

	it("refuses a wrong solution, an invented challenge and an old one", async () => {
		const { challenge, bits } = await askForChallenge(client);
		await client.refused("registerAnonymous", "FORBIDDEN", proofOf(challenge, await solve(challenge, bits, false)));
		const easier = challenge.replace(/^8/, "1");
		await client.refused("registerAnonymous", "FORBIDDEN", proofOf(easier, await solve(easier, 8)));
		await client.refused("registerAnonymous", "INVALID_BODY", proofOf("", "1"));
		const proof = proofOf(challenge, await solve(challenge, bits));
		clock.advance(11 * 60_000);
		const { details } = await client.refused("registerAnonymous", "FORBIDDEN", proof);
		expect(challengeDetails.parse(details).challenge).not.toBe(challenge);
		await sweep();
		expect(await countUsedChallenges()).toBe(0);
	});
});
