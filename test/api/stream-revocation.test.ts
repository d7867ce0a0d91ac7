// Tests streams whose key or session ends while they are open. The clock is fixed, so the test decides when they check.
import { describe, expect, it } from "vitest";
import type { Deps } from "../../src/ports/deps.ts";
import { admin } from "../support/admin.ts";
import { createApp } from "../support/app.ts";
import { createClient, type Operation } from "../support/client.ts";
import { countingDatabase, newIsolate, testDeps } from "../support/deps.ts";
import { endSessionsElsewhere, revokeKeysElsewhere, revokeTokenElsewhere } from "../support/directory.ts";
import { changeSubmissions } from "../support/house.ts";
import { createFleet, signInHuman } from "../support/identities.ts";
import { interceptD1 } from "../support/intercepted-d1.ts";
import { type ManualClock, manualClock } from "../support/manual-clock.ts";
import { openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { readStream } from "../support/sse.ts";
import { register } from "../support/uploads.ts";

const CHECK_MS = 15_000;
const TICK_MS = 5_000;

interface Isolate {
	readonly clock: ManualClock;
	readonly endedCredentials: Deps["endedCredentials"];
	readonly db: Deps["db"];
}

/** Moves a clock second by second, and lets each second's work end. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
	for (let passed = 0; passed < ms; passed += 1_000) {
		clock.advance(1_000);
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

/** Opens a stream in an isolate of its own, unless another one is given. */
async function open(headers: Readonly<Record<string, string>>, operation: Operation, id: string | null, isolate: Partial<Isolate> = {}) {
	const { clock = manualClock(), endedCredentials = newIsolate().endedCredentials, db = countingDatabase() } = isolate;
	const deps = testDeps({ db, clock, endedCredentials, log: { info: () => {}, error: () => {} } });
	const app = createApp(() => deps);
	const client = createClient({
		fetch: (request) => {
			for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
			return app.fetch(request);
		},
	});
	const stream = readStream(await client.send(operation, id === null ? {} : { params: { id } }));
	await stream.count(1);
	await deps.settled();
	/** Moves the clock to the next check, and waits until the check has ended. */
	const check = async (ms = CHECK_MS) => {
		clock.advance(ms);
		await new Promise((resolve) => setTimeout(resolve, 100));
	};
	return { stream, clock, check };
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

const hasEnded = (stream: { ended: Promise<void> }) =>
	Promise.race([stream.ended.then(() => true), new Promise((resolve) => setTimeout(() => resolve(false), 200))]);

describe("a stream of every kind", () => {
	it.each([
		["its key is revoked in another isolate", "unauthorized", ({ agentId }: RegisteredClient) => revokeKeysElsewhere(agentId)],
		[
			"its agent is suspended",
			"FORBIDDEN",
			({ agentId }: RegisteredClient) => admin.call("suspendAgent", { params: { id: agentId }, body: { reason: "It breaks the rules." } }),
		],
	] as const)("ends within 30 seconds after %s", async (_, code, stop) => {
		const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
		const taskId = await openTask(poster);
		const opened = await Promise.all([
			open(bearer(agent.key), "streamTask", taskId),
			open(bearer(agent.key), "streamLeaderboard", taskId),
			open(bearer(agent.key), "streamBounties", null),
		]);
		for (const { check, stream } of opened) {
			await check();
			expect(await hasEnded(stream)).toBe(false);
		}
		await stop(agent);
		for (const { clock, check, stream } of opened) {
			await check();
			await check();
			expect(await hasEnded(stream)).toBe(true);
			expect(clock.waiting()).toBe(0);
		}
		const last = opened.map(({ stream }) => stream.events.at(-1));
		expect(last).toMatchObject(Array(3).fill({ event: "error", data: { error: { code } } }));
	});

	it("misses no task when its client returns with another key after the stream of bounties was cut", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const category = `broken-${crypto.randomUUID().slice(0, 8)}`;
		const { stream, check } = await open(bearer(agent.key), "streamBounties", null);
		await revokeKeysElsewhere(agent.agentId);
		await check();
		await check();
		expect(stream.events.at(-1)?.event).toBe("error");
		const taskId = await openTask(poster, { category });
		const again = readStream(await poster.send("streamBounties", { query: { category }, headers: { "Last-Event-ID": stream.lastId() } }));
		await again.count(1);
		expect(again.events).toMatchObject([{ event: "bounty", data: { id: taskId } }]);
		await again.close();
	});

	it("ends when its session ends, or when an operator token is revoked with its children's keys", async () => {
		const [human, fleet] = [await signInHuman(), await createFleet()];
		const child = await fleet.mint();
		const bySession = await open({ Cookie: `__Host-session=${human.token}` }, "streamBounties", null);
		const byChild = await open(bearer(child.key), "streamBounties", null);
		await endSessionsElsewhere(human.userId);
		await revokeTokenElsewhere(fleet.tokenId);
		for (const { check, stream } of [bySession, byChild]) {
			await check();
			await check();
			expect(await hasEnded(stream)).toBe(true);
		}
	});

	it("survives a database that is away for 20 seconds, but not for 30", async () => {
		const agent = await registerAgent();
		let isAway = false;
		const database = interceptD1((run) => (isAway ? Promise.reject(new Error("The database is away.")) : run()));
		const { check, clock, stream } = await open(bearer(agent.key), "streamBounties", null, { db: countingDatabase(database) });
		const wait = async (ms: number) => {
			for (let waited = 0; waited < ms; waited += TICK_MS) await check(TICK_MS);
		};
		await wait(15_000);
		isAway = true;
		await wait(20_000);
		isAway = false;
		await wait(5_000);
		expect(await hasEnded(stream)).toBe(false);
		isAway = true;
		await wait(25_000);
		expect(await hasEnded(stream)).toBe(false);
		await wait(5_000);
		expect(await hasEnded(stream)).toBe(true);
		expect(stream.events.at(-1)).toMatchObject({ event: "error", data: { error: { code: "SERVICE_BUSY" } } });
		expect(clock.waiting()).toBe(0);
	});
});

describe("four streams of four keys in one isolate", () => {
	/** Opens the streams with one clock, one memory and one database, whose calls are counted, as in one isolate. */
	async function openFour() {
		const isolate = { clock: manualClock(), ...newIsolate() };
		let calls = 0;
		const database = interceptD1((run) => {
			calls += 1;
			return run();
		});
		const agents = await Promise.all(Array.from({ length: 4 }, () => registerAgent()));
		const opened = [];
		for (const { key } of agents) {
			const db = countingDatabase(database);
			opened.push(await open(bearer(key), "streamBounties", null, { ...isolate, db }));
			// The streams of an isolate do not open together.
			await pass(isolate.clock, 1_000);
		}
		return { agents, streams: opened.map(({ stream }) => stream), clock: isolate.clock, calls: () => calls };
	}

	it("read D1 four times a minute in all, and only the one whose key was revoked ends, within 30 seconds", async () => {
		const { agents, streams, clock, calls } = await openFour();
		const before = calls();
		await pass(clock, 60_000);
		expect(calls() - before).toBeLessThanOrEqual(4);
		expect(calls() - before).toBeGreaterThanOrEqual(3);
		await revokeKeysElsewhere(agents[2]?.agentId ?? "");
		await pass(clock, 30_000);
		const ended = await Promise.all(streams.map((stream) => hasEnded(stream)));
		expect(ended).toEqual([false, false, true, false]);
		expect(streams[2]?.events.at(-1)).toMatchObject({ event: "error", data: { error: { code: "unauthorized" } } });
		await Promise.all(streams.map((stream) => stream.close()));
	});

	it("go on if the one that was reading has gone", async () => {
		const { agents, streams, clock } = await openFour();
		await pass(clock, 15_000);
		await streams[0]?.close();
		await revokeKeysElsewhere(agents[3]?.agentId ?? "");
		await pass(clock, 30_000);
		expect(await Promise.all(streams.slice(1).map((stream) => hasEnded(stream)))).toEqual([false, false, true]);
		await Promise.all(streams.map((stream) => stream.close()));
	});

	it("do not end with an agent that was suspended and restored", async () => {
		const { agents, streams, clock } = await openFour();
		const at = { params: { id: agents[1]?.agentId ?? "" }, body: { reason: "It was another one." } };
		await admin.call("suspendAgent", at);
		await admin.call("restoreAgent", at);
		await pass(clock, 30_000);
		expect(await Promise.all(streams.map((stream) => hasEnded(stream)))).toEqual([false, false, false, false]);
		await Promise.all(streams.map((stream) => stream.close()));
	});
});

it("sends no more of a submission to a key that was revoked while it was open", async () => {
	const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
	const taskId = await openTask(poster);
	const { id } = await register(agent, taskId);
	const key = await agent.call("createApiKey", { body: {} });
	const stream = readStream(await createClient({ key: key.api_key }).send("streamSubmission", { params: { id } }));
	const [first] = await stream.count(1);
	await agent.call("revokeApiKey", { query: { id: key.id } });
	await changeSubmissions(taskId, "status = 'running', evaluated = 0");
	await stream.ended;
	expect(stream.events.map(({ event }) => event)).toEqual(["submission", "error"]);
	expect(stream.events[1]).toMatchObject({ id: `${first?.id}-error`, data: { error: { code: "unauthorized" } } });
});
