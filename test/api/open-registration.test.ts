// Caps per network and day, and a proof of work, protect a platform on which anyone can register.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { runSweep } from "../../queues/sweeps.ts";
import type { Config } from "../../src/config/env.ts";
import { leadingZeroBits } from "../../src/domain/proof-of-work.ts";
import { createApp } from "../support/app.ts";
import { goodZipWith } from "../support/archives.ts";
import { type Client, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { countUsedChallenges, forgetNetworkUsage, readNetworkUsage } from "../support/directory.ts";
import { createFleet, registerWithTier } from "../support/identities.ts";
import { manualClock } from "../support/manual-clock.ts";
import { tool } from "../support/mcp.ts";
import { attachmentForm, awaitEvaluation, createDraft, GOOD_FILES, openTask, registerAgent } from "../support/scenario.ts";
import { DAY_MS } from "../support/times.ts";

const at = (id: string) => ({ params: { id } });
const files = { body: { files: GOOD_FILES } };

/** Returns the platform with a changed configuration and its own clock. */
function configured(change: Partial<Config>) {
	const clock = manualClock();
	const config = { ...testDeps().config, ...change };
	const deps = () => testDeps({ config, clock });
	const fetch = async (request: Request) => {
		const own = deps();
		const response = await createApp(() => own).fetch(request);
		await own.settled();
		return response;
	};
	const as = (key: string | null, address: string) => createClient({ key, address, fetch });
	return { clock, as, fetch, sweep: () => runSweep(deps(), "forget") };
}

/** Returns a new network for each test, because the caps count every row of a network. */
function newNetwork() {
	const [a, b] = crypto.getRandomValues(new Uint8Array(2));
	return (host: number) => `203.${a}.${b}.${host}`;
}

const capped = (caps: Partial<Config["networkCaps"]>) =>
	configured({ networkCaps: { agents: null, bytes: null, evaluations: null, ...caps } });

const usedEvaluations = async () => (await readNetworkUsage()).filter(({ kind }) => kind === "evaluations").map(({ used }) => used);

async function statusesOf(answers: readonly Promise<Response>[]): Promise<number[]> {
	return (await Promise.all(answers)).map(({ status }) => status).toSorted();
}

describe("a network's cap for anonymous agents", () => {
	it("limits registrations per day, in parallel or in sequence, and says what to do then", async () => {
		const { as, clock } = capped({ agents: 3 });
		const [address, elsewhere] = [newNetwork(), newNetwork()];
		const register = (host: number) => as(null, address(host)).send("registerAnonymous");
		expect(await statusesOf([1, 2, 3, 4, 5, 6].map(register))).toEqual([201, 201, 201, 429, 429, 429]);
		const { headers, message, details } = await as(null, address(77)).refused("registerAnonymous", "RATE_LIMITED");
		expect(message).toContain("/api/auth/claim");
		expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
		expect(Number(headers.get("Retry-After"))).toBeLessThanOrEqual(86_400);
		expect(details).toMatchObject({ next_actions: [{ href: expect.stringContaining("/api/auth/providers") }] });
		await as(null, elsewhere(1)).call("registerAnonymous");
		const ofOneCustomer = (subnet: number) => as(null, `2001:db8:1:${subnet}::1`).send("registerAnonymous");
		expect(await statusesOf([1, 2, 3, 4, 5].map(ofOneCustomer))).toEqual([201, 201, 201, 429, 429]);
		await as(null, "2001:db8:2:1::1").call("registerAnonymous");
		clock.advance(Number(headers.get("Retry-After")) * 1000);
		await as(null, address(1)).call("registerAnonymous");
	});

	it("limits how much of their work is judged, also in parallel, and uses no slot for the rest", async () => {
		const { as } = capped({ evaluations: 2 });
		const address = newNetwork();
		const agents = await Promise.all(Array.from({ length: 4 }, () => registerAgent()));
		const taskId = await openTask(await registerAgent(), { max_submissions_per_agent: 1 });
		const submit = (agent: { key: string }, host: number) => as(agent.key, address(host)).send("quickSubmit", { ...at(taskId), ...files });
		const answers = await Promise.all(agents.map(submit));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 429, 429]);
		const refused = agents.find((_, index) => answers[index]?.status === 429);
		if (refused === undefined) throw new Error("No agent was refused.");
		const { id } = await as(refused.key, newNetwork()(1)).call("quickSubmit", { ...at(taskId), ...files });
		expect((await refused.call("getSubmission", at(id))).quota).toMatchObject({ used: 1 });
		await awaitEvaluation(refused, id);
		await as(refused.key, address(9)).refused("requestReEvaluation", "RATE_LIMITED", at(id));
	});

	it("counts an agent's judging in a final round with its first submission, for uploads and in parallel too", async () => {
		await forgetNetworkUsage();
		const { as } = capped({ evaluations: 5 });
		const address = newNetwork();
		const agents = await Promise.all(Array.from({ length: 4 }, () => registerAgent()));
		const taskId = await openTask(await registerAgent(), { final_round: true });
		const submit = (agent: { key: string }, host: number) => as(agent.key, address(host)).send("quickSubmit", { ...at(taskId), ...files });
		const [first, second, third, fourth] = agents;
		if (first === undefined || second === undefined || third === undefined || fourth === undefined) throw new Error("There are too few.");
		expect([(await submit(first, 1)).status, (await submit(second, 2)).status]).toEqual([201, 201]);
		expect(await usedEvaluations()).toEqual([4]);
		expect((await submit(third, 3)).status).toBe(429);
		expect((await third.call("getTask", at(taskId))).quota.used).toBe(0);
		const { id } = await third.call("createSubmission", at(taskId));
		await third.call("uploadArtifact", { ...at(id), rawBody: goodZipWith(), headers: { "Content-Type": "application/zip" } });
		await as(third.key, address(3)).refused("completeSubmission", "RATE_LIMITED", at(id));
		await expect.poll(usedEvaluations).toEqual([4]);
		expect([(await submit(first, 4)).status, (await submit(first, 5)).status]).toEqual([201, 429]);
		expect(await usedEvaluations()).toEqual([5]);
		await as(third.key, newNetwork()(1)).call("completeSubmission", at(id));
		expect(await usedEvaluations()).toContain(2);
		const elsewhere = newNetwork();
		const rivals = [fourth, await registerAgent(), await registerAgent()];
		const answers = await Promise.all(rivals.map(({ key }) => as(key, elsewhere(1)).send("quickSubmit", { ...at(taskId), ...files })));
		// Refused requests give back what they had reserved.
		const accepted = answers.filter(({ status }) => status === 201).length;
		expect(accepted).toBeLessThan(3);
		await expect.poll(async () => (await usedEvaluations()).toSorted()).toEqual([2, 5, accepted * 2].toSorted());
	});

	it("counts dry runs too, in parallel", async () => {
		const { as } = capped({ evaluations: 2 });
		const address = newNetwork();
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const start = (host: number) => as(poster.key, address(host)).send("startDryRun", { ...at(id), ...files });
		expect(await statusesOf([1, 2, 3, 4].map(start))).toEqual([202, 202, 429, 429]);
	});

	it("does not count agents of humans and operators", async () => {
		const { as } = capped({ evaluations: 1 });
		const address = newNetwork();
		const callers = [await registerAgent(), await registerWithTier("verified"), await (await createFleet()).mint()];
		const taskId = await openTask(await registerAgent());
		for (const { key } of callers) await as(key, address(1)).call("quickSubmit", { ...at(taskId), ...files });
		await as((await registerAgent()).key, address(2)).refused("quickSubmit", "RATE_LIMITED", { ...at(taskId), ...files });
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
