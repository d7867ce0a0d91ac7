// Tests deliveries in flight for one host, over all webhooks that point at it.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
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
	const enter = (holder: number) => host.enter(`holder ${holder}`);
	const entered = await Promise.all(Array.from({ length: 50 }, (_, holder) => enter(holder)));
	const holders = [...entered.entries()].flatMap(([holder, hasPlace]) => (hasPlace ? [holder] : []));
	expect(holders).toHaveLength(MAX_IN_FLIGHT);
	const [first = 0] = holders;
	expect(await enter(first)).toBe(true);
	expect(await enter(100)).toBe(false);
	await host.leave(`holder ${first}`);
	await host.leave(`holder ${first}`);
	expect(await Promise.all([enter(100), enter(101)])).toEqual([true, false]);
	for (const holder of [...holders, 100]) await host.leave(`holder ${holder}`);
});
