// Tests clients of a stream that were away, or that connect just when something changes.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Topic, topicName } from "../../src/ports/topics.ts";
import { admin } from "../support/admin.ts";
import { createApp } from "../support/app.ts";
import { type Client, createClient, type Operation } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { setBoardScore } from "../support/house.ts";
import { awaitEvaluation, createDraft, hoursFromNow, openTask, registerAgent, submit } from "../support/scenario.ts";
import { readStream, type StreamReader } from "../support/sse.ts";
import { queryTask } from "../support/task-object.ts";

async function follow(client: Client, operation: Operation, id: string, lastEventId?: string): Promise<StreamReader> {
	const headers = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
	const response = await client.send(operation, { params: { id }, headers });
	expect(response.status).toBe(200);
	return readStream(response);
}

/** Follows a stream that ends by itself. */
async function followToEnd(...stream: Parameters<typeof follow>): Promise<StreamReader> {
	const reader = await follow(...stream);
	await reader.ended;
	return reader;
}

const namesOf = ({ events }: StreamReader) => events.map(({ event }) => event);
const idsOf = ({ events }: StreamReader) => events.map(({ id }) => id);
/** Waits long enough for an unwanted event to arrive. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 200));

/** Returns a client of an app where something happens after a stream has read its state and before it begins to watch. */
function interrupted(key: string, happen: () => Promise<void>): Client {
	const deps = testDeps();
	const { watchTopic } = deps.hubs;
	const hubs = {
		...deps.hubs,
		async watchTopic(watcher: Parameters<typeof watchTopic>[0]) {
			await happen();
			return watchTopic(watcher);
		},
	};
	const app = createApp(() => ({ ...deps, hubs }));
	return createClient({ key, fetch: (request) => app.fetch(request) });
}

const scoresOf = ({ events }: StreamReader) => events.map(({ data }) => (data["entries"] as { finalScore: number }[])[0]?.finalScore);

/** Returns a task with one entry on its leaderboard. */
async function scoredTask() {
	const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
	const id = await openTask(poster);
	await awaitEvaluation(agent, (await submit(agent, id)).id);
	return { poster, agent, id };
}

const setSlots = (poster: Client, id: string, slots: number) =>
	poster.call("updateTask", { params: { id }, body: { max_submissions_per_agent: slots } });
const slotsOf = ({ events }: StreamReader) => events.map(({ data }) => data["max_submissions_per_agent"]);

/** Replaces the way in which the object of a task reaches its relays. */
const replaceDelivery = (taskId: string, deliver: (send: () => Promise<number>) => Promise<number>) =>
	runInDurableObject(env.TASK.getByName(taskId), ({ runtime }) => {
		const { hubs } = runtime.deps;
		const deliverToRelay: typeof hubs.deliverToRelay = (relay, entries) => deliver(() => hubs.deliverToRelay(relay, entries));
		runtime.deps = { ...runtime.deps, hubs: { ...hubs, deliverToRelay } };
	});

describe("a client that was away", () => {
	it("gets the current state of a submission, and one terminal event, unless it has them", async () => {
		const [poster, agent] = await Promise.all([registerAgent(), registerAgent()]);
		const { id } = await submit(agent, await openTask(poster));
		await awaitEvaluation(agent, id);
		const before = await follow(agent, "streamSubmission", id);
		await before.ended;
		await poster.call("requestReEvaluation", { params: { id } });
		await expect.poll(async () => (await agent.call("getSubmission", { params: { id } })).status).toBe("completed");
		const present = await agent.call("getSubmission", { params: { id } });
		expect(present.iteration).toBe(2);
		for (const lastEventId of [before.events[0]?.id, before.lastId(), "0"]) {
			const resumed = await follow(agent, "streamSubmission", id, lastEventId);
			await resumed.ended;
			expect(namesOf(resumed)).toEqual(["submission", "terminal"]);
			expect(resumed.events.map(({ data }) => data)).toEqual([present, present]);
		}
		const [state, last] = idsOf(await followToEnd(poster, "streamSubmission", id));
		expect(last).toBe(`${state}-end`);
		expect(idsOf(await followToEnd(poster, "streamSubmission", id, state))).toEqual([last]);
		const over = await agent.send("streamSubmission", { params: { id }, headers: { "Last-Event-ID": last ?? "" } });
		expect(over.status).toBe(204);
	});

	it("gets the current state of a task, or nothing until the next change if it has that state", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const before = await follow(poster, "streamTask", id);
		const [first] = await before.count(1);
		await before.close();
		for (const hours of [50, 51, 52]) await poster.call("updateTask", { params: { id }, body: { deadline: hoursFromNow(hours) } });
		const deadline = hoursFromNow(53);
		await poster.call("updateTask", { params: { id }, body: { deadline } });
		const tooOld = [first?.id ?? "", "0", "999999999999999", "-1", "1.5", "1e2", "0x1", "1-start", "257\u00a0", "١"];
		const anew = await Promise.all(tooOld.map((lastId) => follow(poster, "streamTask", id, encodeURI(lastId))));
		await Promise.all(anew.map((stream) => stream.count(1)));
		const present = anew[0]?.lastId() ?? "";
		const resumed = await follow(poster, "streamTask", id, present);
		await aMoment();
		expect(anew.map(({ events }) => events.map(({ data }) => data["deadline"]))).toEqual(tooOld.map(() => [deadline]));
		expect(resumed.events).toEqual([]);
		await poster.call("publishTask", { params: { id } });
		const [changed] = await resumed.count(1);
		expect(changed?.data["status"]).toBe("open");
		await Promise.all([...anew, resumed].map((stream) => stream.close()));
	});

	it("sees nothing of another agent's draft", async () => {
		const [poster, stranger] = await Promise.all([registerAgent(), registerAgent()]);
		const { id } = await createDraft(poster);
		const deadline = hoursFromNow(77);
		await poster.call("updateTask", { params: { id }, body: { deadline } });
		await poster.call("updateTask", { params: { id }, body: { deadline: hoursFromNow(78) } });
		await poster.call("publishTask", { params: { id } });
		const stream = await follow(stranger, "streamTask", id, "1");
		await poster.call("closeTask", { params: { id } });
		await stream.ended;
		expect(stream.events.map(({ event, data }) => [event, data["status"]])).toEqual([
			["task", "open"],
			["task", "closed"],
			["terminal", "closed"],
		]);
		expect(JSON.stringify(stream.events)).not.toContain(deadline);
	});

	it("gets every bounty that it has missed, in its current state, and none that was taken down", async () => {
		const [poster, watcher] = await Promise.all([registerAgent(), registerAgent()]);
		const first = readStream(await watcher.send("streamBounties"));
		await first.count(1);
		await first.close();
		const [hidden, extended, last] = [await openTask(poster), await openTask(poster), await openTask(poster)];
		await admin.call("takeDownTask", { params: { id: hidden }, body: { reason: "Spam" } });
		const deadline = hoursFromNow(300);
		await poster.call("extendTask", { params: { id: extended }, body: { deadline } });
		const headers = { "Last-Event-ID": first.lastId() };
		const replay = async () => {
			const stream = readStream(await watcher.send("streamBounties", { headers }));
			await aMoment();
			await stream.close();
			return stream.events.map(({ event, data }) => [event, data["id"], data["deadline"]]);
		};
		await expect.poll(replay).toEqual([
			["bounty", extended, deadline],
			["bounty", last, expect.any(String)],
		]);
	});
});

describe("a client that connects during a change", () => {
	it("gets the change between its read and its watch", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const deadline = hoursFromNow(50);
		const client = interrupted(poster.key, async () => {
			await poster.call("updateTask", { params: { id }, body: { deadline } });
		});
		const stream = await follow(client, "streamTask", id);
		await stream.count(1);
		await aMoment();
		expect(stream.events.map(({ data }) => data["deadline"])).toEqual([deadline]);
		await stream.close();
	});

	it("is refused if the draft was deleted in between", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const client = interrupted(poster.key, async () => {
			await poster.call("deleteTask", { params: { id } });
		});
		await client.refused("streamTask", "NOT_FOUND", { params: { id } });
	});

	it("gets the bounty between its read and its watch, once", async () => {
		const [poster, watcher] = await Promise.all([registerAgent(), registerAgent()]);
		const before = readStream(await watcher.send("streamBounties"));
		const [connected] = await before.count(1);
		const opened: string[] = [];
		const client = interrupted(watcher.key, async () => {
			opened.push(await openTask(poster));
			await before.count(1 + opened.length);
		});
		const headers = { "Last-Event-ID": connected?.id ?? "" };
		const stream = readStream(await client.send("streamBounties", { headers }));
		opened.push(await openTask(poster));
		await stream.count(2);
		await aMoment();
		expect(stream.events.map(({ event, data }) => [event, data["id"]])).toEqual(opened.map((id) => ["bounty", id]));
		await Promise.all([before.close(), stream.close()]);
	});

	it("gets an error if there is no task or submission, and nothing is stored", async () => {
		const { id } = await createDraft(await registerAgent());
		const { hubs } = testDeps();
		const join = (topic: Topic) => hubs.joinTopic({ topic: topicName(topic), relay: "relay", membership: "1" });
		expect(await join({ kind: "submission", id: `${id}/${crypto.randomUUID()}` })).toBeNull();
		expect(await queryTask(id, "select name from relays")).toEqual([]);
		const unknown = crypto.randomUUID();
		expect(await join({ kind: "task", id: unknown })).toBeNull();
		expect(await queryTask(unknown, "select name from sqlite_master where name not like '_cf_%'")).toEqual([]);
	});

	it("gets a leaderboard that changed and changed back while it connected", async () => {
		const { poster, agent, id } = await scoredTask();
		await setBoardScore(id, 10);
		const first = await follow(poster, "streamLeaderboard", id);
		await setBoardScore(id, 20);
		await expect.poll(() => scoresOf(first)).toEqual([10, 20]);
		await setBoardScore(id, 30);
		const second = await follow(agent, "streamLeaderboard", id);
		await setBoardScore(id, 20);
		await expect.poll(() => scoresOf(second)).toEqual([30, 20]);
		await expect.poll(() => scoresOf(first).at(-1)).toBe(20);
		// The 30 may be missing, because it can fall into the gap between two events.
		expect([
			[10, 20],
			[10, 20, 30, 20],
		]).toContainEqual(scoresOf(first));
		await Promise.all([first.close(), second.close()]);
	});

	it("never gets a leaderboard that is older than the one it has", async () => {
		const { poster, id } = await scoredTask();
		const stream = await follow(poster, "streamLeaderboard", id);
		const [before] = await stream.count(1);
		await setBoardScore(id, 60);
		const [, present] = await stream.count(2);
		const [relay] = await queryTask<{ name: string }>(id, "select name from relays");
		const { hubs } = testDeps();
		// This entry arrives late. If the stream showed it, it would read the board again, because the entry has no data.
		await hubs.deliverToRelay(relay?.name ?? "", [{ seq: Number(before?.id), data: null }]);
		await new Promise((resolve) => setTimeout(resolve, 900));
		expect(stream.events).toHaveLength(2);
		expect(present?.data).toMatchObject({ entries: [{ finalScore: 60 }] });
		await stream.close();
	});

	it("gets the current state if an entry of its topic is lost", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const stream = await follow(poster, "streamTask", id);
		await stream.count(1);
		let isLost = true;
		await replaceDelivery(id, (send) => (isLost ? Promise.resolve(1) : send()));
		await setSlots(poster, id, 3);
		isLost = false;
		await setSlots(poster, id, 4);
		await expect.poll(() => slotsOf(stream)).toEqual([15, 4]);
		await stream.close();
	});

	it("gets the change later if its relay cannot be reached at first", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const stream = await follow(poster, "streamTask", id);
		await stream.count(1);
		let tries = 0;
		await replaceDelivery(id, (send) => {
			tries += 1;
			return tries === 1 ? Promise.reject(new Error("The network is down.")) : send();
		});
		await setSlots(poster, id, 3);
		await expect.poll(() => slotsOf(stream)).toEqual([15, 3]);
		expect(tries).toBe(2);
		await stream.close();
	});

	it("gets the change if the object died between the change and its relays", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const stream = await follow(poster, "streamTask", id);
		await stream.count(1);
		await replaceDelivery(id, () => Promise.resolve(1));
		await setSlots(poster, id, 3);
		expect(slotsOf(stream)).toEqual([15]);
		await evictDurableObject(env.TASK.getByName(id));
		// A request wakes the object, as its alarm would.
		await poster.call("getTask", { params: { id } });
		await expect.poll(() => slotsOf(stream)).toEqual([15, 3]);
		await stream.close();
	});
});
