// Deliveries in flight for one host, over all webhooks that point at it.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { deliver, sweepDeliveries } from "../../src/features/webhooks/delivery.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { emit, holdPlatform, readLog, subscribe } from "../support/webhooks.ts";

const MAX_IN_FLIGHT = 20;

/** Two agents with a webhook each, at two spellings of one host, and 15 events on the way to each. */
async function rush() {
	const gate = Promise.withResolvers<void>();
	const requests: string[] = [];
	const host = `${crypto.randomUUID()}.example.com`;
	const platform = holdPlatform({
		async fetch(url) {
			requests.push(url);
			await gate.promise;
			return new Response("taken");
		},
	});
	const ends = await Promise.all(
		[`https://${host}/one`, `https://${host.toUpperCase()}.:8443/two`].map(async (url) => {
			const agent = await registerAgent();
			const { id: taskId } = await createDraft(agent);
			const { id } = await subscribe(agent, url);
			for (let sent = 0; sent < 15; sent += 1) await emit(platform.deps, { type: "task.opened", taskId });
			return { log: () => readLog(agent, id) };
		}),
	);
	const readAll = async () => (await Promise.all(ends.map(({ log }) => log()))).flat();
	return { platform, gate, requests, readAll, ids: platform.messages.splice(0).map(({ deliveryId }) => deliveryId) };
}

it("are at most 20, also when all are claimed in parallel; the others come soon after, without losing an attempt", async () => {
	const { platform, gate, requests, readAll, ids } = await rush();
	expect(ids).toHaveLength(30);
	const running = Promise.all(ids.map((id) => deliver(platform.deps, id)));
	await expect.poll(() => platform.messages.length + requests.length, { timeout: 10_000 }).toBe(30);
	expect(requests).toHaveLength(MAX_IN_FLIGHT);
	for (const { dueAt } of platform.messages) expect(dueAt - platform.clock.now()).toBeLessThanOrEqual(15_000);
	gate.resolve();
	await running;
	const waiting = (await readAll()).filter(({ status }) => status === "pending");
	expect(waiting.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 10 }, () => []));
	platform.clock.advance(15_000);
	await platform.work();
	expect(requests).toHaveLength(30);
	for (const { status, attempts } of await readAll()) {
		expect({ status, numbers: attempts.map(({ number }) => number) }).toEqual({ status: "delivered", numbers: [1] });
	}
});

it("make room for others when their consumers die", async () => {
	const { platform, requests, ids } = await rush();
	for (const id of ids.slice(0, MAX_IN_FLIGHT)) void deliver(platform.deps, id);
	await expect.poll(() => requests.length, { timeout: 10_000 }).toBe(MAX_IN_FLIGHT);
	platform.clock.forget();
	for (const id of ids.slice(MAX_IN_FLIGHT)) await deliver(platform.deps, id);
	expect(requests).toHaveLength(MAX_IN_FLIGHT);
	platform.messages.splice(0);
	platform.clock.advance(61_000);
	await sweepDeliveries(platform.deps);
	expect(platform.messages).toHaveLength(30);
	for (const { deliveryId } of platform.messages) void deliver(platform.deps, deliveryId);
	await expect.poll(() => requests.length, { timeout: 10_000 }).toBe(2 * MAX_IN_FLIGHT);
});

it("are counted without reading what is not in flight, or in flight to other hosts", async () => {
	const { platform, ids } = await rush();
	const [id = ""] = ids;
	const columns = "webhook_id, event_id, replay_of, status, attempts, due_at, lease_token, lease_expires_at, lease_host, created_at";
	const copy = (prefix: string, change: string) =>
		env.DB.prepare(
			`insert into webhook_deliveries (id, ${columns}) select '${prefix}' || value, webhook_id, event_id, id, ${change}, created_at
			from webhook_deliveries, (with recursive n (value) as (select 1 union all select value + 1 from n where value < 3000) select value from n)
			where id = ?`,
		)
			.bind(id)
			.run();
	const later = platform.clock.now() + 30_000;
	await copy("waiting", `'pending', 1, due_at, null, null, (select host from webhooks where id = webhook_id)`);
	await copy("elsewhere", `'pending', 1, due_at, 'held', ${later}, 'elsewhere.example.com'`);
	await copy("expired", `'pending', 1, due_at, 'held', ${later - 60_000}, (select host from webhooks where id = webhook_id)`);
	const before = platform.deps.db.use.rowsRead;
	void deliver(platform.deps, id);
	await expect.poll(() => platform.deps.db.use.rowsRead, { timeout: 10_000 }).toBeGreaterThan(before);
	expect(platform.deps.db.use.rowsRead - before).toBeLessThanOrEqual(30);
});
