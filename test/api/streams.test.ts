import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Bounties, Task } from "../../src/index.ts";
import { admin } from "../support/admin.ts";
import { createApp } from "../support/app.ts";
import { type Client, createClient, type Operation } from "../support/client.ts";
import { newIsolate, testDeps } from "../support/deps.ts";
import { changeSubmissions, changeTask, setBoardScore } from "../support/house.ts";
import { manualClock } from "../support/manual-clock.ts";
import { awaitEvaluation, createDraft, hoursFromNow, openTask, registerAgent, submit } from "../support/scenario.ts";
import { readStream, type StreamReader } from "../support/sse.ts";
import { queryTask } from "../support/task-object.ts";

interface Follow {
	readonly query?: Readonly<Record<string, string | number | readonly string[]>>;
	readonly lastEventId?: string;
}

async function follow(client: Client, operation: Operation, id: string | null, { query, lastEventId }: Follow = {}): Promise<StreamReader> {
	const response = await client.send(operation, {
		...(id === null ? {} : { params: { id } }),
		...(query === undefined ? {} : { query: query as Record<string, string> }),
		...(lastEventId === undefined ? {} : { headers: { "Last-Event-ID": lastEventId } }),
	});
	expect(response.status).toBe(200);
	expect(response.headers.get("Content-Type")).toBe("text/event-stream; charset=utf-8");
	return readStream(response);
}

const namesOf = (stream: StreamReader) => stream.events.map(({ event }) => event);
/** Returns the relays that a task sends its changes to. */
const relaysOf = (taskId: string) => queryTask<{ name: string; topic: string }>(taskId, "select name, topic from relays order by topic");
/** Waits long enough for an unwanted event to arrive. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 300));

describe("the stream of a task", () => {
	it("shows the current state, then each change, then the terminal event, and ends", async () => {
		const [poster, watcher] = await Promise.all([registerAgent(), registerAgent()]);
		const taskId = await openTask(poster);
		const stream = await follow(watcher, "streamTask", taskId);
		const [first] = await stream.count(1);
		const { id, title, description, category, deadline, budget_cents, winner_gets_cents, eval_mode, status, created_at } =
			await watcher.call("getTask", {
				params: { id: taskId },
			});
		expect(first).toMatchObject({ event: "task" });
		expect(first?.data).toEqual({
			...{ id, title, description, category, deadline, budget_cents, winner_gets_cents, eval_mode, status, created_at },
			max_submissions_per_agent: 15,
			test: false,
			server_time: expect.stringMatching(/Z$/),
		});
		await poster.call("closeTask", { params: { id: taskId } });
		await stream.ended;
		expect(namesOf(stream)).toEqual(["task", "task", "terminal"]);
		expect(stream.events.slice(1).map(({ data }) => data["status"])).toEqual(["closed", "closed"]);
		expect(new Set(stream.events.map(({ id: eventId }) => eventId)).size).toBe(3);
	});

	it("sends a draft's changes to its owner only", async () => {
		const [poster, stranger] = await Promise.all([registerAgent(), registerAgent()]);
		const { id } = await createDraft(poster);
		await stranger.refused("streamTask", "NOT_FOUND", { params: { id } });
		await stranger.refused("streamLeaderboard", "NOT_FOUND", { params: { id } });
		const stream = await follow(poster, "streamTask", id);
		await stream.count(1);
		const deadline = hoursFromNow(100);
		await poster.call("updateTask", { params: { id }, body: { deadline } });
		await stream.count(2);
		await poster.call("updateTask", { params: { id }, body: { max_submissions_per_agent: 3 } });
		await stream.count(3);
		await poster.call("publishTask", { params: { id } });
		const events = await stream.count(4);
		expect(events.map(({ data }) => data["status"])).toEqual(["draft", "draft", "draft", "open"]);
		expect(events[1]?.data["deadline"]).toBe(deadline);
		await stream.close();
	});

	it("tells a client that has the terminal event not to reconnect", async () => {
		const poster = await registerAgent();
		const id = await openTask(poster);
		await poster.call("closeTask", { params: { id } });
		const stream = await follow(poster, "streamTask", id);
		await stream.ended;
		expect(namesOf(stream)).toEqual(["task", "terminal"]);
		const again = await poster.send("streamTask", { params: { id }, headers: { "Last-Event-ID": stream.lastId() } });
		expect(again.status).toBe(204);
		// A reader who has the state but not the terminal event gets only that event.
		const missed = await follow(poster, "streamTask", id, { lastEventId: stream.events[0]?.id ?? "" });
		await missed.ended;
		expect(namesOf(missed)).toEqual(["terminal"]);
	});
});

describe("the stream of a submission", () => {
	it("shows the submission in its reader's view until it is judged", async () => {
		const [poster, agent, stranger] = await Promise.all([registerAgent(), registerAgent(), registerAgent()]);
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		const streams = await Promise.all([poster, agent].map((reader) => follow(reader, "streamSubmission", id)));
		await stranger.refused("streamSubmission", "NOT_FOUND", { params: { id } });
		await awaitEvaluation(agent, id);
		for (const [index, stream] of streams.entries()) {
			await stream.ended;
			const reader = index === 0 ? poster : agent;
			expect(namesOf(stream).slice(-2)).toEqual(["submission", "terminal"]);
			const { artifact, ...rest } = await reader.call("getSubmission", { params: { id } });
			// Its URL expires later if it is read in another minute.
			const signed = { ...artifact, url: expect.stringContaining(`/submissions/${id}/artifact?expires=`), expires_at: expect.any(String) };
			const submission = { ...rest, artifact: signed };
			expect(stream.events.at(-1)?.data).toEqual(submission);
			expect(stream.events.at(-2)?.data).toEqual(submission);
		}
	});
});

describe("the stream of a leaderboard", () => {
	it("shows each watcher its own view, and no names before the reveal", async () => {
		const [poster, agent, rival] = await Promise.all([registerAgent("Poster"), registerAgent("Visible Agent"), registerAgent("Rival")]);
		const id = await openTask(poster);
		const [forPoster, forAgent, forRival] = await Promise.all(
			[poster, agent, rival].map((watcher) => follow(watcher, "streamLeaderboard", id)),
		);
		if (forPoster === undefined || forAgent === undefined || forRival === undefined) throw new Error("Three streams were opened.");
		await awaitEvaluation(agent, (await submit(agent, id)).id);
		for (const [stream, isMe, isOwner] of [
			[forPoster, false, true],
			[forAgent, true, false],
			[forRival, false, false],
		] as const) {
			const [, event] = await stream.count(2);
			expect(event?.data).toMatchObject({ revealed: false, isOwner, entries: [{ rank: 1, isMe }] });
			expect(JSON.stringify(event)).not.toContain("Visible Agent");
			expect(JSON.stringify(event)).not.toContain(agent.agentId);
		}
		const { me: _, ...plain } = await rival.call("getLeaderboard", { params: { id } });
		expect(forRival.events[1]?.data).toEqual(plain);
		await poster.call("closeTask", { params: { id } });
		await Promise.all([forPoster, forAgent, forRival].map((stream) => stream.ended));
		expect(namesOf(forRival)).toEqual(["leaderboard", "leaderboard", "leaderboard", "terminal"]);
		expect(forRival.events[2]?.data).toMatchObject({ revealed: true, entries: [{ agentName: "Visible Agent", isMe: false }] });
		expect(JSON.stringify(forRival.events)).not.toContain(agent.agentId);
	});

	it("reveals names at the deadline while evaluations run, and sends the terminal event at the close", async () => {
		const [poster, agent] = await Promise.all([registerAgent(), registerAgent("Visible Agent")]);
		const id = await openTask(poster);
		await awaitEvaluation(agent, (await submit(agent, id)).id);
		const stream = await follow(poster, "streamLeaderboard", id);
		const [before] = await stream.count(1);
		expect(before?.data).toMatchObject({ revealed: false, entries: [{ agentName: expect.stringMatching(/^Competitor /) }] });
		for (const [events, status] of [
			[2, "evaluating"],
			[4, "closed"],
		] as const) {
			await changeTask(id, { status, deadline: Date.now() - 1 });
			await stream.count(events);
		}
		await stream.ended;
		expect(namesOf(stream)).toEqual(["leaderboard", "leaderboard", "leaderboard", "terminal"]);
		const shown = { revealed: true, entries: [{ agentName: "Visible Agent" }] };
		expect(stream.events[1]?.data).toMatchObject({ ...shown, taskStatus: "evaluating" });
		for (const last of stream.events.slice(2)) expect(last.data).toMatchObject({ ...shown, taskStatus: "closed" });
	});

	it("sends at most two events a second in a burst of a thousand changes, and always the last", async () => {
		const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
		const id = await openTask(poster);
		const { id: submissionId } = await submit(agent, id);
		await awaitEvaluation(agent, submissionId);
		const streams = await Promise.all([poster, agent].map((watcher) => follow(watcher, "streamLeaderboard", id)));
		await Promise.all(streams.map((stream) => stream.count(1)));
		for (let burst = 0; burst < 100; burst += 1) {
			await setBoardScore(id, ...Array.from({ length: 10 }, (_, change) => (burst * 10 + change) / 100));
		}
		await setBoardScore(id, 99.99);
		const lastScore = (stream: StreamReader) => {
			const entries = stream.events.at(-1)?.data["entries"] as { finalScore: number }[] | undefined;
			return entries?.[0]?.finalScore;
		};
		for (const stream of streams) {
			await expect.poll(() => lastScore(stream), { timeout: 5_000 }).toBe(99.99);
			const { length } = stream.events;
			const elapsedMs = (stream.events.at(-1)?.at ?? 0) - (stream.events[0]?.at ?? 0);
			expect(length).toBeGreaterThan(1);
			expect(length).toBeLessThanOrEqual(2 + (2 * elapsedMs) / 1000);
			await stream.close();
		}
	});
});

describe("the stream of bounties", () => {
	it("sends new tasks that match, in the form of the list", async () => {
		const [poster, watcher] = await Promise.all([registerAgent(), registerAgent()]);
		const filters = { category: ["Music", "dance"], min_budget_cents: 60_000, deadline_after: hoursFromNow(40), tag: "anything" };
		const stream = await follow(watcher, "streamBounties", null, { query: filters });
		const [connected] = await stream.count(1);
		expect(connected?.event).toBe("connected");
		expect(connected?.data).toEqual({
			server_time: expect.any(String),
			filter: { category: ["music", "dance"], min_budget_cents: 60_000, deadline_after: filters.deadline_after },
			ignored: ["tag"],
		});
		await openTask(poster, { category: "poetry", budget_cents: 70_000 });
		await openTask(poster, { category: "music", budget_cents: 50_000 });
		await openTask(poster, { category: "music", budget_cents: 70_000, deadline: hoursFromNow(30) });
		const matching = await openTask(poster, { category: "MUSIC", budget_cents: 70_000 });
		const [, bounty] = await stream.count(2);
		await aMoment();
		expect(stream.events).toHaveLength(2);
		const task = await watcher.call("getTask", { params: { id: matching } });
		expect(bounty?.data).toEqual({
			id: matching,
			title: task.title,
			description: task.description,
			category: "music",
			deadline: task.deadline,
			budget_cents: 70_000,
			winner_gets_cents: 63_000,
			test: false,
			eval_mode: "llm",
			status: "open",
			created_at: task.created_at,
		});
		await stream.close();
	});

	it("resumes with the missed tasks, and starts anew if too many were missed", async () => {
		const [poster, watcher] = await Promise.all([registerAgent(), registerAgent()]);
		const first = await follow(watcher, "streamBounties", null);
		await first.count(1);
		await first.close();
		const missed = [await openTask(poster), await openTask(poster), await openTask(poster)];
		await expect.poll(async () => (await followAndCount(watcher, first.lastId())).length).toBe(3);
		const resumed = await followAndCount(watcher, first.lastId());
		expect(resumed.map(({ data }) => data["id"])).toEqual(missed);
		expect((await followAndCount(watcher, resumed[0]?.id ?? "")).map(({ data }) => data["id"])).toEqual(missed.slice(1));
		const bounties = env.BOUNTIES.getByName("bounties");
		for (let more = 0; more < 254; more += 1) await bounties.add({ taskId: crypto.randomUUID(), data: null });
		const anew = await follow(watcher, "streamBounties", null, { lastEventId: first.lastId() });
		expect((await anew.count(1))[0]?.event).toBe("connected");
		await anew.close();
	});

	it.each([{ min_budget_cents: "-1" }, { min_budget_cents: "1.5" }, { deadline_after: "tomorrow" }, { category: "" }])(
		"refuses %j",
		async (query) => {
			const watcher = await registerAgent();
			await watcher.refused("streamBounties", "VALIDATION_ERROR", { query });
		},
	);
});

async function followAndCount(watcher: Client, lastEventId: string) {
	const stream = await follow(watcher, "streamBounties", null, { lastEventId });
	await aMoment();
	await stream.close();
	return stream.events;
}

describe("every stream", () => {
	it.each(["", "-1", "1.2.3", "1-else", "x".repeat(501), "9".repeat(7_000), "1".repeat(14), "%00"])(
		"starts with the current state after an invalid id (%#)",
		async (lastEventId) => {
			const poster = await registerAgent();
			const { id } = await createDraft(poster);
			const task = await follow(poster, "streamTask", id, { lastEventId });
			expect(await task.count(1)).toMatchObject([{ event: "task", data: { id, status: "draft" } }]);
			await task.close();
			const bounties = await follow(poster, "streamBounties", null, { lastEventId });
			expect(await bounties.count(1)).toMatchObject([{ event: "connected" }]);
			await bounties.close();
			await poster.call("publishTask", { params: { id } });
			const open = await follow(createClient(), "streamPublicTask", id, { lastEventId });
			await open.count(2);
			expect(namesOf(open)).toEqual(["task", "leaderboard"]);
			await open.close();
		},
	);

	it.each([
		["streamTask", ["task"]],
		["streamPublicTask", ["task", "leaderboard"]],
	] as const)(
		"sends a heartbeat every 15 seconds, ends by 270, and reads only ended credentials from D1 (%s)",
		async (operation, first) => {
			const clock = manualClock();
			const deps = testDeps({ clock, random: () => 0, ...newIsolate() });
			const app = createApp(() => deps);
			const poster = await registerAgent();
			const id = await openTask(poster);
			const key = operation === "streamTask" ? { key: poster.key } : {};
			const watcher = createClient({ ...key, fetch: (request) => app.fetch(request) });
			const stream = await follow(watcher, operation, id);
			await stream.count(first.length);
			await deps.settled();
			const { calls } = deps.db.use;
			for (let beat = 1; beat <= 17; beat += 1) {
				clock.advance(15_000);
				await expect.poll(() => stream.comments.length).toBe(beat);
				if (operation === "streamTask") await expect.poll(() => deps.endedCredentials.readAt()).toBe(clock.now());
			}
			clock.advance(15_000);
			await stream.ended;
			expect(namesOf(stream)).toEqual(first);
			// Neither the state nor the key is read again. Readers without a key have none that could end.
			expect(deps.db.use.calls - calls).toBe(0);
			if (operation !== "streamTask") expect(deps.endedCredentials.readAt()).toBeNull();
			expect(clock.waiting()).toBe(0);
		},
	);

	it("names the last entry it has passed over, so that a client with a narrow filter can resume", async () => {
		const clock = manualClock();
		const deps = testDeps({ clock, random: () => 0 });
		const app = createApp(() => deps);
		const poster = await registerAgent();
		const watcher = createClient({ key: poster.key, fetch: (request) => app.fetch(request) });
		const stream = await follow(watcher, "streamBounties", null, { query: { category: "nothing of this" } });
		const [connected] = await stream.count(1);
		await openTask(poster);
		await expect
			.poll(() => {
				clock.advance(15_000);
				return Number(stream.lastId());
			})
			.toBe(Number(connected?.id) + 1);
		// The id needs an event with data, because some clients hand on every block.
		const { data } = stream.events[1] ?? {};
		expect(stream.events.map(({ event }) => event)).toEqual(["connected", "connected"]);
		expect(data).toMatchObject({ filter: { category: ["nothing of this"] }, ignored: [] });
		await stream.close();
		expect(clock.waiting()).toBe(0);
	});

	it("sends an error event after a fault, and ends", async () => {
		const poster = await registerAgent();
		const agent = await registerAgent();
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		await changeSubmissions(taskId, "status = 'running', evaluated = 0");
		const stream = await follow(agent, "streamSubmission", id);
		await changeSubmissions(taskId, `agent_id = '${poster.agentId}'`);
		await stream.ended;
		const last = stream.events.at(-1);
		expect(last).toMatchObject({ event: "error", data: { error: { code: "NOT_FOUND", message: expect.any(String) } } });
	});

	it("sleeps between events, survives the eviction of its objects, and its topic forgets it with the next change", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const task = env.TASK.getByName(id);
		const stream = await follow(poster, "streamTask", id);
		await stream.count(1);
		const [known] = await relaysOf(id);
		const relay = env.TOPIC_RELAY.getByName(known?.name ?? "");
		expect(await runInDurableObject(relay, (_, state) => state.getWebSockets().length)).toBe(1);
		for (const deadline of [hoursFromNow(50), hoursFromNow(60)]) {
			await evictDurableObject(task);
			await evictDurableObject(relay);
			await poster.call("updateTask", { params: { id }, body: { deadline } });
			await expect.poll(() => stream.events.at(-1)?.data["deadline"]).toBe(deadline);
		}
		expect(stream.events).toHaveLength(3);
		// The relay has no alarm, so it sleeps until an event.
		expect(await runInDurableObject(relay, (_, { storage }) => storage.getAlarm())).toBeNull();
		await stream.close();
		await expect.poll(() => runInDurableObject(relay, (_, state) => state.getWebSockets().length)).toBe(0);
		await poster.call("updateTask", { params: { id }, body: { deadline: hoursFromNow(70) } });
		await expect.poll(() => relaysOf(id)).toEqual([]);
	});

	it("keeps its relay until a change finds no watcher, and a reconnect costs no write", async () => {
		const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
		const id = await openTask(poster);
		const { id: submissionId } = await submit(agent, id);
		await awaitEvaluation(agent, submissionId);
		expect(await relaysOf(id)).toEqual([]);
		const task = env.TASK.getByName(id);
		const bounties = env.BOUNTIES.getByName("bounties");
		const bountyRelays = () => runInDurableObject(bounties, (_, { storage }) => storage.sql.exec("select name from relays").toArray());
		const watching = await Promise.all([
			follow(agent, "streamTask", id),
			follow(agent, "streamBounties", null),
			follow(poster, "streamBounties", null),
			follow(poster, "streamLeaderboard", id),
		]);
		for (const stream of watching) await stream.count(1);
		expect((await relaysOf(id)).map(({ topic }) => topic)).toEqual([`leaderboard:${id}`, `task:${id}`]);
		expect(await bountyRelays()).toHaveLength(1);
		const writes = (object: DurableObjectStub<Task | Bounties>) =>
			runInDurableObject(object, (_, { storage }) => storage.sql.exec("select total_changes() as writes").one()["writes"]);
		const before = [await writes(task), await writes(bounties)];
		await watching[0].close();
		const again = await follow(agent, "streamTask", id, { lastEventId: watching[0].lastId() });
		const beside = await follow(poster, "streamTask", id);
		await beside.count(1);
		await (await follow(poster, "streamBounties", null)).close();
		expect([await writes(task), await writes(bounties)]).toEqual(before);
		await poster.call("closeTask", { params: { id } });
		await Promise.all([again.ended, beside.ended]);
		expect(namesOf(again)).toEqual(["task", "terminal"]);
		for (const stream of watching.slice(1)) await stream.close();
		// The object sends every watched state once when it wakes.
		await evictDurableObject(task);
		await admin.call("takeDownTask", { params: { id }, body: { reason: "spam" } });
		await expect.poll(() => relaysOf(id)).toEqual([]);
		await openTask(poster);
		await expect.poll(bountyRelays).toEqual([]);
	});

	it("ends when its draft is deleted", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const streams = await Promise.all((["streamTask", "streamLeaderboard"] as const).map((endpoint) => follow(poster, endpoint, id)));
		for (const stream of streams) await stream.count(1);
		await poster.call("deleteTask", { params: { id } });
		for (const stream of streams) {
			await stream.ended;
			expect(stream.events.at(-1)).toMatchObject({ event: "error", data: { error: { code: "NOT_FOUND" } } });
		}
	});
});
