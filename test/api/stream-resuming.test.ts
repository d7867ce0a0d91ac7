// What a client of a stream gets that was away, or that comes just when something changes.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import { type Topic, topicName } from "../../src/domain/topics.ts";
import { createKey, revokeKey } from "../../src/features/api-keys/contract.ts";
import * as contract from "../../src/features/competition/streams/contract.ts";
import { getSubmission, requestReEvaluation } from "../../src/features/submissions/contract.ts";
import { closeTask, publishTask, updateTask } from "../../src/features/tasks/contract.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { topicEntry } from "../../src/ports/topics.ts";
import { type Client, createClient } from "../support/client.ts";
import { manualClock, testDeps } from "../support/deps.ts";
import { awaitEvaluation, createDraft, hoursFromNow, openTask, registerAgent, submit } from "../support/scenario.ts";
import { readStream, type StreamReader } from "../support/sse.ts";
import { register } from "../support/uploads.ts";

async function follow(client: Client, endpoint: EndpointContract, id: string, lastEventId?: string): Promise<StreamReader> {
	const headers = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
	const response = await client.send(endpoint, { params: { id }, headers });
	expect(response.status).toBe(200);
	return readStream(response);
}

const namesOf = ({ events }: StreamReader) => events.map(({ event }) => event);
const idsOf = ({ events }: StreamReader) => events.map(({ id }) => id);
/** Long enough for something unwanted to come. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 200));

async function run(sql: string, ...values: unknown[]): Promise<void> {
	await env.DB.prepare(sql)
		.bind(...values)
		.run();
}

async function tell(topic: Topic): Promise<void> {
	await testDeps().hubs.publishTopic(topic);
}

/** A client of an app where something happens after a stream has read its state and before it begins to watch. */
function interrupted(key: string, happen: () => Promise<void>): Client {
	const deps = testDeps();
	const { watchTopic } = deps.hubs;
	const hubs = Object.assign(Object.create(deps.hubs), {
		async watchTopic(watcher: Parameters<typeof watchTopic>[0]) {
			await happen();
			return watchTopic(watcher);
		},
	});
	const app = createApp(() => ({ ...deps, hubs }));
	return createClient({ key, fetch: (request) => app.fetch(request) });
}

describe("a client that was away", () => {
	it("gets each status of a submission that it has missed, with the body of that time, and one last word", async () => {
		const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
		const { id } = await submit(agent, await openTask(poster));
		await awaitEvaluation(agent, id);
		await poster.call(requestReEvaluation, { params: { id } });
		await expect.poll(async () => (await agent.call(getSubmission, { params: { id } })).status).toBe("completed");
		const all = await follow(agent, contract.streamSubmission, id, "0");
		await all.ended;
		expect(namesOf(all)).toEqual(["submission", "submission", "submission", "terminal"]);
		expect(idsOf(all)).toEqual(["1", "2", "3", "3-end"]);
		expect(all.events.map(({ data }) => [data["status"], data["scores"] !== null, data["iteration"]])).toEqual([
			["completed", true, 1],
			["running", false, 2],
			["completed", true, 2],
			["completed", true, 2],
		]);
		expect(all.events[2]?.data).toEqual(await agent.call(getSubmission, { params: { id } }));
		const rest = await follow(poster, contract.streamSubmission, id, "2");
		await rest.ended;
		expect(idsOf(rest)).toEqual(["3", "3-end"]);
		// The last word that it has heard was not the last one.
		const reopened = await follow(agent, contract.streamSubmission, id, "1-end");
		await reopened.ended;
		expect(idsOf(reopened)).toEqual(["2", "3", "3-end"]);
		const over = await agent.send(contract.streamSubmission, { params: { id }, headers: { "Last-Event-ID": "3-end" } });
		expect(over.status).toBe(204);
	});

	it("gets 256 changes of a task, and after more of them the present state alone", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const change = (number: number) => env.DB.prepare("update tasks set deadline = deadline + 1 where id = ? and ?").bind(id, number);
		await env.DB.batch(Array.from({ length: 257 }, (_, index) => change(index + 1)));
		const resumed = await follow(poster, contract.streamTask, id, "1");
		await resumed.count(256);
		expect(idsOf(resumed)).toEqual(Array.from({ length: 256 }, (_, index) => String(index + 2)));
		const tooOld = ["0", "258", "999999999999999", "-1", "1.5", "1e2", "0x1", "1-start", "257\u00a0", "١"];
		const anew = await Promise.all(tooOld.map((lastId) => follow(poster, contract.streamTask, id, encodeURI(lastId))));
		await aMoment();
		expect(anew.map(idsOf)).toEqual(tooOld.map(() => ["257"]));
		await Promise.all(anew.map((stream) => stream.close()));
		await resumed.close();
	});

	it("sees nothing of the draft that was not its own", async () => {
		const [poster, stranger] = await Promise.all([registerAgent(), registerAgent()]);
		const { id } = await createDraft(poster);
		const deadline = hoursFromNow(77);
		await poster.call(updateTask, { params: { id }, body: { deadline } });
		await poster.call(updateTask, { params: { id }, body: { deadline: hoursFromNow(78) } });
		await poster.call(publishTask, { params: { id } });
		const stream = await follow(stranger, contract.streamTask, id, "0");
		await poster.call(closeTask, { params: { id } });
		await stream.ended;
		expect(idsOf(stream)).toEqual(["3", "4", "4-end"]);
		expect(JSON.stringify(stream.events)).not.toContain(deadline);
		const own = await follow(poster, contract.streamTask, id, "0");
		await own.ended;
		expect(idsOf(own)).toEqual(["1", "2", "3", "4", "4-end"]);
	});
});

it("tells nothing more of a submission to a key that was revoked meanwhile", async () => {
	const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
	const { id } = await register(agent, await openTask(poster));
	const key = await agent.call(createKey, { body: {} });
	const stream = await follow(createClient({ key: key.api_key }), contract.streamSubmission, id);
	await stream.count(1);
	await agent.call(revokeKey, { query: { id: key.id } });
	await run("update submissions set status = 'running' where id = ?", id);
	await tell({ kind: "submission", id });
	await stream.ended;
	expect(namesOf(stream)).toEqual(["submission", "error"]);
	expect(stream.events[1]).toMatchObject({ id: "0-error", data: { error: { code: "unauthorized" } } });
});

describe("a client that comes while something changes", () => {
	it("gets the change that was told just before it watched", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const client = interrupted(poster.key, async () => {
			await run("update tasks set max_submissions_per_agent = 3 where id = ?", id);
			await tell({ kind: "task", id });
		});
		const stream = await follow(client, contract.streamTask, id);
		await aMoment();
		expect(idsOf(stream)).toEqual(["1"]);
		await stream.close();
	});

	it("gets the change that came before anyone watched, so that it was published to no one", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const deadline = hoursFromNow(50);
		const client = interrupted(poster.key, async () => {
			await poster.call(updateTask, { params: { id }, body: { deadline } });
		});
		const stream = await follow(client, contract.streamTask, id);
		const [before, after] = await stream.count(2);
		expect(before?.data["deadline"]).not.toBe(deadline);
		expect(after?.data["deadline"]).toBe(deadline);
		await stream.close();
	});

	it("is published to as long as it has relays, in whichever order they join and leave", async () => {
		const { id } = await createDraft(await registerAgent());
		const name = topicName({ kind: "task", id });
		const topic = env.TOPIC.getByName(name);
		const isRegistered = async () => (await env.DB.prepare("select 1 from watched_topics where name = ?").bind(name).first()) !== null;
		const hasRelays = () =>
			runInDurableObject(topic, (_, { storage }) => [...storage.sql.exec("select 1 from sqlite_master where name = 'relays'")].length > 0);
		const join = (round: number) => topic.subscribe({ topic: name, relay: "relay", membership: String(round), from: 1 });
		expect(await isRegistered()).toBe(false);
		await join(0);
		expect(await isRegistered()).toBe(true);
		for (let round = 0; round < 10; round += 1) {
			const leave = () => topic.leave("relay", [String(round)]);
			await Promise.all(round % 2 === 0 ? [leave(), join(round + 1)] : [join(round + 1), leave(), leave()]);
			expect(await hasRelays()).toBe(true);
			expect(await isRegistered()).toBe(true);
		}
		await Promise.all([topic.leave("relay", ["10"]), tell({ kind: "task", id })]);
		expect(await hasRelays()).toBe(false);
		expect(await isRegistered()).toBe(false);
	});

	it("loses its row when an event finds that it has no watchers, because its object died before it could delete the row", async () => {
		const id = crypto.randomUUID();
		await run("insert into watched_topics (name) values (?)", `task:${id}`);
		await tell({ kind: "task", id });
		const { results } = await env.DB.prepare("select name from watched_topics where name = ?").bind(`task:${id}`).all();
		expect(results).toEqual([]);
	});

	it("is told of a leaderboard that went there and back around its coming", async () => {
		const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
		const id = await openTask(poster);
		await awaitEvaluation(agent, (await submit(agent, id)).id);
		const topic = { kind: "leaderboard", id } as const;
		const setScore = (score: number) => run("update leaderboard_entries set final_score = ? where task_id = ?", score, id);
		const scoresOf = ({ events }: StreamReader) => events.map(({ data }) => (data["entries"] as { finalScore: number }[])[0]?.finalScore);
		await setScore(10);
		const first = await follow(poster, contract.streamLeaderboard, id);
		await setScore(20);
		await tell(topic);
		await expect.poll(() => scoresOf(first)).toEqual([10, 20]);
		// The second watcher reads 30, which nobody is told of; then it is 20 again.
		await setScore(30);
		const second = await follow(agent, contract.streamLeaderboard, id);
		await second.count(1);
		expect(scoresOf(second)).toEqual([30]);
		await setScore(20);
		await tell(topic);
		await expect.poll(() => scoresOf(second)).toEqual([30, 20]);
		await aMoment();
		// Who has this content is not shown it again, and yet resumes after it.
		expect(scoresOf(first)).toEqual([10, 20]);
		await Promise.all([first.close(), second.close()]);
	});

	it("is not taken back to a leaderboard older than the one it has", async () => {
		const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
		const id = await openTask(poster);
		await awaitEvaluation(agent, (await submit(agent, id)).id);
		const stream = await follow(poster, contract.streamLeaderboard, id);
		const topic = env.TOPIC.getByName(topicName({ kind: "leaderboard", id }));
		const lastEntry = () =>
			runInDurableObject(
				topic,
				(_, { storage }) => storage.sql.exec("select seq, version, data from entries order by seq desc").toArray()[0],
			);
		const setScore = (score: number) => run("update leaderboard_entries set final_score = ? where task_id = ?", score, id);
		await setScore(40);
		await tell({ kind: "leaderboard", id });
		await stream.count(2);
		const older = topicEntry.parse(await lastEntry());
		// The topic has read the next state, and is slower to tell of it than a watcher who comes is to read the one after.
		await setScore(50);
		await setScore(60);
		const newcomer = await follow(agent, contract.streamLeaderboard, id);
		const [present] = await newcomer.count(1);
		const relays = await runInDurableObject(topic, (_, { storage }) => storage.sql.exec("select name from relays").toArray());
		await env.TOPIC_RELAY.getByName(String(relays[0]?.["name"])).deliver([{ ...older, seq: Number(present?.id) - 2 }]);
		await new Promise((resolve) => setTimeout(resolve, 900));
		expect(newcomer.events).toHaveLength(1);
		expect(present?.data).toMatchObject({ entries: [{ finalScore: 60 }] });
		await Promise.all([stream.close(), newcomer.close()]);
	});

	it("gets everything when an entry of its topic does not reach it", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const stream = await follow(poster, contract.streamTask, id);
		const topic = env.TOPIC.getByName(topicName({ kind: "task", id }));
		for (const slots of [3, 4]) await run("update tasks set max_submissions_per_agent = ? where id = ?", slots, id);
		// The relay has confirmed the first change, and its sockets were never given it.
		await runInDurableObject(topic, (_, { storage }) => storage.sql.exec("update relays set delivered = 1"));
		await tell({ kind: "task", id });
		await expect.poll(() => idsOf(stream)).toEqual(["0", "1", "2"]);
		await stream.close();
	});

	it("is told later when the topic cannot read at first", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const stream = await follow(poster, contract.streamTask, id);
		const topic = env.TOPIC.getByName(topicName({ kind: "task", id }));
		await run("update tasks set max_submissions_per_agent = 3 where id = ?", id);
		await run("alter table state_changes rename to lost_changes");
		try {
			await tell({ kind: "task", id });
		} finally {
			await run("alter table lost_changes rename to state_changes");
		}
		expect(stream.events).toHaveLength(1);
		expect(await runDurableObjectAlarm(topic)).toBe(true);
		await stream.count(2);
		expect(await runInDurableObject(topic, (_, { storage }) => storage.getAlarm())).toBeNull();
		await stream.close();
	});
});

it("spreads leaderboards by the clock, and shows the last of a burst", async () => {
	const clock = manualClock();
	const deps = testDeps({ clock, random: () => 0 });
	const app = createApp(() => deps);
	const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
	const id = await openTask(poster);
	await awaitEvaluation(agent, (await submit(agent, id)).id);
	const watcher = createClient({ key: poster.key, fetch: (request) => app.fetch(request) });
	const stream = await follow(watcher, contract.streamLeaderboard, id);
	const topic = env.TOPIC.getByName(topicName({ kind: "leaderboard", id }));
	const told = async () => {
		const rows = await runInDurableObject(topic, (_, { storage }) => [...storage.sql.exec("select head from topic")]);
		return Number(rows[0]?.["head"] ?? 0);
	};
	for (let score = 1; score <= 3; score += 1) {
		const before = await told();
		await run("update leaderboard_entries set final_score = ? where task_id = ?", score, id);
		await tell({ kind: "leaderboard", id });
		await expect.poll(told).toBeGreaterThan(before);
	}
	clock.advance(599);
	await aMoment();
	expect(stream.events).toHaveLength(1);
	clock.advance(1);
	await stream.count(2);
	expect(stream.events[1]?.data).toMatchObject({ entries: [{ finalScore: 3 }] });
	clock.advance(10_000);
	await aMoment();
	expect(stream.events).toHaveLength(2);
	await stream.close();
	expect(clock.waiting()).toBe(0);
});

it("asks D1 nothing for an idle minute of all kinds of streams, objects included, and wakes no object", async () => {
	const clock = manualClock();
	const deps = testDeps({ clock, random: () => 0 });
	const app = createApp(() => deps);
	const poster = await registerAgent();
	const id = await openTask(poster);
	const agent = await registerAgent();
	const { id: submissionId } = await submit(agent, id);
	await awaitEvaluation(agent, submissionId);
	await run("update submissions set status = 'running', evaluated = 0 where id = ?", submissionId);
	const fetch = (request: Request) => app.fetch(request);
	const head = createClient({ key: agent.key, fetch: (request) => fetch(new Request(request, { method: "HEAD" })) });
	for (const [endpoint, params] of [[contract.streamBounties], [contract.streamTask, { id }]] as const) {
		expect((await head.send(endpoint, params === undefined ? {} : { params })).headers.get("Content-Type")).toContain("text/event-stream");
	}
	expect(clock.waiting()).toBe(0);
	const watcher = createClient({ key: agent.key, fetch });
	const streams = await Promise.all([
		follow(watcher, contract.streamTask, id),
		follow(watcher, contract.streamLeaderboard, id),
		follow(watcher, contract.streamSubmission, submissionId),
		watcher.send(contract.streamBounties).then(readStream),
	]);
	await Promise.all(streams.map((stream) => stream.count(1)));
	await deps.settled();
	// One class serves the Worker and the objects, so this sees every query of them all.
	const sessions = vi.spyOn(Object.getPrototypeOf(env.DB), "withSession");
	const queries = vi.spyOn(Object.getPrototypeOf(env.DB), "prepare");
	try {
		for (let beat = 1; beat <= 4; beat += 1) {
			clock.advance(15_000);
			for (const stream of streams) await expect.poll(() => stream.comments.length).toBe(beat);
		}
		expect(sessions).not.toHaveBeenCalled();
		expect(queries).not.toHaveBeenCalled();
		await tell({ kind: "task", id });
		expect(sessions).toHaveBeenCalled();
	} finally {
		sessions.mockRestore();
		queries.mockRestore();
	}
	for (const topic of ["bounties", `task:${id}`, `leaderboard:${id}`, `submission:${submissionId}`]) {
		expect(await runInDurableObject(env.TOPIC.getByName(topic), (_, { storage }) => storage.getAlarm())).toBeNull();
	}
	await Promise.all(streams.map((stream) => stream.close()));
	expect(clock.waiting()).toBe(0);
});
