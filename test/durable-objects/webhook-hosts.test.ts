// Tests deliveries in flight for one host, over all webhooks that point at it.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { TargetHost } from "../../src/index.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { emit, holdPlatform, readLog, subscribe } from "../support/webhooks.ts";

const MAX_IN_FLIGHT = 20;

/** Returns two agents with one webhook each, at two spellings of one host, and 15 events on the way to each. */
async function rush() {
	const requests: string[] = [];
	let isOpen = false;
	const host = `${crypto.randomUUID()}.example.com`;
	const platform = holdPlatform({
		async fetch(url) {
			requests.push(url);
			while (!isOpen) await scheduler.wait(1);
			return new Response("taken");
		},
	});
	const ends = await Promise.all(
		[`https://${host}/one`, `https://${host.toUpperCase()}.:8443/two`].map(async (url) => {
			const agent = await registerAgent();
			const { id: taskId } = await createDraft(agent);
			const { id } = await subscribe(agent, url);
			return { taskId, log: () => readLog(platform.clientOf(agent), id) };
		}),
	);
	const events = ends.flatMap(({ taskId }) => Array.from({ length: 15 }, () => ({ type: "task.opened" as const, taskId })));
	await Promise.all(events.map((event) => emit(platform.deps, event)));
	const readAll = async () => (await Promise.all(ends.map(({ log }) => log()))).flat();
	return { platform, requests, readAll, open: () => (isOpen = true) };
}

it("are at most 20, also from two objects in parallel; the others follow without losing an attempt", async () => {
	const { platform, requests, readAll, open } = await rush();
	await expect.poll(() => requests.length).toBe(MAX_IN_FLIGHT);
	const postponed = async () => (await readAll()).filter(({ next_attempt_at: at }) => at !== null && Date.parse(at) > platform.clock.now());
	await expect.poll(async () => (await postponed()).length).toBe(30 - MAX_IN_FLIGHT);
	for (const { attempts, next_attempt_at } of await postponed()) {
		expect(attempts).toEqual([]);
		expect(Date.parse(next_attempt_at ?? "") - platform.clock.now()).toBeLessThanOrEqual(15_000);
	}
	expect(requests).toHaveLength(MAX_IN_FLIGHT);
	open();
	await platform.deps.settled();
	platform.clock.advance(15_000);
	await platform.work();
	expect(requests).toHaveLength(30);
	for (const { status, attempts } of await readAll()) {
		expect({ status, numbers: attempts.map(({ number }) => number) }).toEqual({ status: "delivered", numbers: [1] });
	}
});

it("make room for others when the objects that send them die", async () => {
	const { platform, requests } = await rush();
	await expect.poll(() => requests.length).toBe(MAX_IN_FLIGHT);
	platform.senders.kill();
	platform.clock.advance(15_000);
	await platform.senders.ring();
	await scheduler.wait(50);
	expect(requests).toHaveLength(MAX_IN_FLIGHT);
	platform.clock.advance(30_000);
	await platform.senders.ring();
	await expect.poll(() => requests.length).toBe(2 * MAX_IN_FLIGHT);
});

it("have 20 places in the host's object; a holder that asks again keeps its place", async () => {
	const host = env.TARGET_HOST.getByName(`${crypto.randomUUID()}.example.com`);
	const enter = (holder: number) => host.admit(`holder ${holder}`, "asked");
	const entered = await Promise.all(Array.from({ length: 50 }, (_, holder) => enter(holder)));
	const holders = [...entered.entries()].flatMap(([holder, hasPlace]) => (hasPlace === "entered" ? [holder] : []));
	expect(holders).toHaveLength(MAX_IN_FLIGHT);
	const [first = 0] = holders;
	expect(await enter(first)).toBe("entered");
	expect(await enter(100)).toBe("full");
	await host.leave(`holder ${first}`);
	await host.leave(`holder ${first}`);
	expect(await Promise.all([enter(100), enter(101)])).toEqual(["entered", "full"]);
	for (const holder of [...holders, 100]) await host.leave(`holder ${holder}`);
});

describe("a host that has never answered a challenge", () => {
	const LIMIT = 100;

	/** Returns agents with one own task and one unverified webhook each, at one host that responds with 404. */
	async function pointAt(host: string, agents: number) {
		const requests: string[] = [];
		const platform = holdPlatform({
			async fetch(url, { body }) {
				requests.push(url);
				return url.endsWith("/agrees") ? new Response(String(body)) : new Response("", { status: 404 });
			},
		});
		const hooks = await Promise.all(
			Array.from({ length: agents }, async () => {
				const agent = await registerAgent();
				const client = platform.clientOf(agent);
				const { id: taskId } = await createDraft(agent);
				const body = { url: `https://${host}/hook`, events: ["task.opened"], task_ids: [taskId] };
				const { id } = await client.call("createWebhook", { body });
				return { client, taskId, id, log: () => readLog(client, id) };
			}),
		);
		const send = async (times: number) => {
			const sent = hooks.flatMap(({ taskId }) => Array.from({ length: times }, () => emit(platform.deps, { type: "task.opened", taskId })));
			await Promise.all(sent);
			await platform.work();
		};
		/** Passes the hours in which deliveries are repeated. */
		const passDay = async () => {
			for (let hour = 0; hour < 24; hour += 1) {
				platform.clock.advance(3_600_000);
				await platform.work();
			}
		};
		/** Throttled deliveries come back after some seconds. */
		const drain = async () => {
			for (let round = 0; round < 20; round += 1) {
				platform.clock.advance(15_000);
				await platform.work();
			}
		};
		const readAll = async () => (await Promise.all(hooks.map(({ log }) => log()))).flat();
		return { platform, requests, hooks, send, passDay, drain, readAll };
	}

	it("gets at most 100 deliveries a day from all agents together, each tried twice, and nothing at creation", async () => {
		const { requests, hooks, send, drain, passDay, readAll } = await pointAt(`${crypto.randomUUID()}.example`, 3);
		expect(requests).toHaveLength(0);
		await send(40);
		await drain();
		expect(requests).toHaveLength(2 * LIMIT);
		const ended = await readAll();
		expect(ended.map(({ status }) => status)).toEqual(Array.from({ length: 120 }, () => "failed"));
		const unsent = ended.filter(({ attempts }) => attempts.some(({ error }) => error?.includes("challenge")));
		expect(unsent).toHaveLength(20);
		expect(ended.filter(({ attempts }) => attempts.length === 2)).toHaveLength(LIMIT);
		await passDay();
		expect(requests).toHaveLength(2 * LIMIT);
		await send(1);
		await drain();
		expect(requests).toHaveLength(2 * (LIMIT + hooks.length));
	});

	it("gets all deliveries, with all their repetitions, once it has answered one for any subscription", async () => {
		const host = `${crypto.randomUUID()}.example`;
		const { platform, requests, hooks, send, drain, readAll } = await pointAt(host, 2);
		const other = platform.clientOf(await registerAgent());
		const { verified } = await other.call("createWebhook", { body: { url: `https://sub.${host}/agrees`, events: ["task.opened"] } });
		expect(verified).toBe(true);
		const before = requests.length;
		await send(60);
		await drain();
		expect(requests.length - before).toBeGreaterThan(2 * LIMIT);
		expect((await readAll()).some(({ attempts }) => attempts.length > 2)).toBe(true);
		expect(hooks).toHaveLength(2);
	});

	it("can be asked any number of times, so that strangers cannot keep its owner from agreeing", async () => {
		const host = `${crypto.randomUUID()}.example`;
		const { platform, requests, hooks, send, drain } = await pointAt(host, 1);
		await send(LIMIT + 5);
		await drain();
		const owner = platform.clientOf(await registerAgent());
		const created = await owner.call("createWebhook", { body: { url: `https://${host}/agrees`, events: ["task.opened"] } });
		expect(created.verified).toBe(true);
		const before = requests.length;
		await send(1);
		expect(requests.length).toBeGreaterThan(before);
		expect(hooks).toHaveLength(1);
	});

	it("is not a service that gave out the URL, which cannot answer", async () => {
		const requests: string[] = [];
		const platform = holdPlatform({
			async fetch(url) {
				requests.push(url);
				return new Response("ok");
			},
		});
		const agent = await registerAgent();
		const client = platform.clientOf(agent);
		const { id: taskId } = await createDraft(agent);
		const urls = ["https://hooks.slack.com/services/T0/B0/x", "https://discord.com/api/webhooks/1/x"];
		for (const [index, url] of urls.entries()) {
			const format = index === 0 ? "slack" : "discord";
			await client.call("createWebhook", { body: { url, format, events: ["task.opened"], task_ids: [taskId] } });
		}
		for (let sent = 0; sent < LIMIT + 10; sent += 10) {
			await Promise.all(Array.from({ length: 10 }, () => emit(platform.deps, { type: "task.opened", taskId })));
			await platform.work();
		}
		for (const url of urls) expect(requests.filter((one) => one === url)).toHaveLength(LIMIT + 10);
	});
});

it("keeps the host's agreement, and forgets hosts that have not agreed", async () => {
	const count = (host: DurableObjectStub<TargetHost>) => runInDurableObject(host, async (_, { storage }) => [...storage.kv.list()].length);
	const agreed = env.TARGET_HOST.getByName(`${crypto.randomUUID()}.example`);
	expect(await agreed.admit("a", "first")).toBe("unasked");
	await agreed.agree();
	expect(await agreed.admit("b", "first")).toBe("entered");
	expect(await runDurableObjectAlarm(agreed)).toBe(false);
	for (const holder of ["a", "b"]) await agreed.leave(holder);
	const other = env.TARGET_HOST.getByName(`${crypto.randomUUID()}.example`);
	// Only first attempts count, and parallel ones share the number.
	const entries = [];
	for (let round = 0; round < 6; round += 1) {
		const holders = Array.from({ length: 20 }, (_, index) => `${round} ${index}`);
		entries.push(...(await Promise.all(holders.map((holder) => other.admit(holder, "first")))));
		await Promise.all(holders.map((holder) => other.leave(holder)));
	}
	expect(entries.filter((entry) => entry === "unasked")).toHaveLength(100);
	expect(entries.filter((entry) => entry === "spent")).toHaveLength(20);
	expect(await other.admit("again", "again")).toBe("unasked");
	await other.leave("again");
	expect(await count(other)).toBe(1);
	expect(await runDurableObjectAlarm(other)).toBe(true);
	expect(await count(other)).toBe(0);
});
