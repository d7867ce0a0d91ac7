// Tests streams whose key or session ends while they are open. The clock is fixed, so the test decides when they check.
import { describe, expect, it, vi } from "vitest";
import { admin } from "../support/admin.ts";
import { createApp } from "../support/app.ts";
import { createClient, type Operation } from "../support/client.ts";
import { countingDatabase, testDeps } from "../support/deps.ts";
import { endSessionsElsewhere, revokeKeysElsewhere, revokeTokenElsewhere } from "../support/directory.ts";
import { changeSubmissions } from "../support/house.ts";
import { createFleet, signInHuman } from "../support/identities.ts";
import { manualClock } from "../support/manual-clock.ts";
import { openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { readStream } from "../support/sse.ts";
import { register } from "../support/uploads.ts";

const CHECK_MS = 15_000;

/** Opens a stream with its own clock and database. */
async function open(headers: Readonly<Record<string, string>>, operation: Operation, id: string | null) {
	const clock = manualClock();
	const db = countingDatabase();
	const deps = testDeps({ db, clock, log: { info: () => {}, error: () => {} } });
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
	const check = async () => {
		clock.advance(CHECK_MS);
		await new Promise((resolve) => setTimeout(resolve, 100));
	};
	return { stream, db, clock, check };
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

	it("costs at most one call to D1 for each check", async () => {
		const agent = await registerAgent();
		const { db, check, stream } = await open(bearer(agent.key), "streamBounties", null);
		const before = db.use.calls;
		for (let beat = 0; beat < 4; beat += 1) await check();
		expect(db.use.calls - before).toBeLessThanOrEqual(4);
		expect(db.use.calls - before).toBeGreaterThan(0);
		await stream.close();
	});

	it("survives one failure of the database, but not two in a row", async () => {
		const agent = await registerAgent();
		const { db, check, stream } = await open(bearer(agent.key), "streamBounties", null);
		const breakDatabase = () =>
			vi.spyOn(db, "read").mockImplementation(() => {
				throw new Error("The database is away.");
			});
		const first = breakDatabase();
		await check();
		expect(await hasEnded(stream)).toBe(false);
		first.mockRestore();
		await check();
		breakDatabase();
		await check();
		expect(await hasEnded(stream)).toBe(false);
		await check();
		expect(await hasEnded(stream)).toBe(true);
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
