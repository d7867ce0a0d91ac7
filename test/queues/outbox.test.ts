// Between a commit and the receipt of its event anything may die. Nothing is lost, and nothing happens twice.
import { evictDurableObject, listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { dispatchRecorded, forgetOldEvents, sweepOutbox } from "../../src/events/dispatch.ts";
import { recordEvents } from "../../src/events/outbox.ts";
import { streamBounties } from "../../src/features/streams/contract.ts";
import { deleteWebhook, listDeliveries } from "../../src/features/webhooks/contract.ts";
import { deliver, sweepDeliveries } from "../../src/features/webhooks/service.ts";
import type { Topic, TopicRelay } from "../../src/index.ts";
import { mortal } from "../support/mortality.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { readStream } from "../support/sse.ts";
import { count, queryOne } from "../support/storage.ts";
import { emit, type HeldPlatform, holdPlatform, subscribe } from "../support/webhooks.ts";

const ROUNDS = 200;
const SEED = 20_261_120;
const MINUTE = 60_000;

/** A small generator (mulberry32), so that a failing round can be repeated. */
function seeded(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

/** Lets nothing but the event itself stop it: an error here is a death that was wanted. */
const survive = (work: Promise<unknown>) => work.catch(() => {});

let evictions = 0;

/** Takes the objects of a class out of memory; one that sleeps already is none to evict. */
async function evictAll<Evicted extends Topic | TopicRelay>(namespace: DurableObjectNamespace<Evicted>): Promise<void> {
	for (const id of await listDurableObjectIds(namespace)) {
		try {
			await evictDurableObject(namespace.get(id));
			evictions += 1;
		} catch (error) {
			if (!String(error).includes("not currently running")) throw error;
		}
	}
}

const evictTopics = () => evictAll(env.TOPIC);
const evictRelays = () => evictAll(env.TOPIC_RELAY);

/** One event's way from its commit, with something going wrong at a random place. */
async function troubledRound(platform: HeldPlatform, taskId: string, random: (below: number) => number): Promise<string> {
	const { deps, clock, messages } = platform;
	await deps.db.query.batch([recordEvents(deps, [{ type: "task.opened", taskId }])]);
	const eventId = deps.recordedEvents[0] ?? "";
	const disaster = random(8);
	if (disaster === 0) await evictTopics();
	if (disaster === 1) await evictRelays();
	const dispatcher = mortal(deps, { atStep: random(disaster < 5 ? 9 : 40), isAfter: random(2) === 1 });
	if (disaster === 2) deps.recordedEvents.splice(0);
	if (disaster === 3) clock.advance(16_000);
	await Promise.all([survive(dispatchRecorded(dispatcher)), disaster === 3 ? survive(sweepOutbox(deps)) : null]);
	if (disaster === 4) await Promise.all([evictTopics(), evictRelays()]);
	for (const { deliveryId } of messages.splice(0)) {
		const consumer = mortal(deps, { atStep: random(6), isAfter: random(2) === 1 });
		await Promise.all([survive(deliver(consumer, deliveryId)), random(3) === 0 ? survive(deliver(deps, deliveryId)) : null]);
	}
	return eventId;
}

/** What the following minutes do: sweeps and messages, whole again. */
async function recover(platform: HeldPlatform): Promise<void> {
	for (let minute = 0; minute < 3; minute += 1) {
		platform.clock.advance(MINUTE);
		await sweepOutbox(platform.deps);
		await sweepDeliveries(platform.deps);
		await platform.work();
	}
}

it(`loses no event and doubles no effect in ${ROUNDS} troubled rounds`, async () => {
	const random = seeded(SEED);
	const platform = holdPlatform();
	const agent = await registerAgent();
	const webhook = await subscribe(agent, platform.url);
	const { id: taskId } = await createDraft(agent);
	const stream = readStream(await agent.send(streamBounties));
	await stream.count(1);
	const eventIds: string[] = [];
	for (let round = 0; round < ROUNDS; round += 1) {
		eventIds.push(await troubledRound(platform, taskId, random));
		// Some rounds begin while the last one has not recovered.
		if (random(3) > 0) await recover(platform);
	}
	await recover(platform);

	expect(await count("select count(*) from outbox where dispatched_at is null")).toBe(0);
	// A receiver keeps to `webhook-id`: it must see each event, and each delivery must end once.
	expect(new Set(platform.receiver.calls.map(({ headers }) => headers.get("webhook-id")))).toEqual(new Set(eventIds));
	expect(await count("select count(*) from webhook_deliveries where webhook_id = ?", webhook.id)).toBe(ROUNDS);
	expect(await count("select count(*) from webhook_deliveries where webhook_id = ? and status = 'delivered'", webhook.id)).toBe(ROUNDS);
	// Each event is its own entry of the topic, and the watcher saw each of them once, in order.
	await stream.count(1 + ROUNDS);
	const ids = stream.events.map(({ id }) => Number(id));
	expect(ids).toEqual(Array.from({ length: 1 + ROUNDS }, (_, index) => (ids[0] ?? 0) + index));
	expect(evictions).toBeGreaterThan(ROUNDS / 10);
	await stream.close();
}, 90_000);

describe("the outbox", () => {
	it("keeps an event whose batch was undone to itself", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		await subscribe(agent, platform.url);
		const { id: taskId } = await createDraft(agent);
		recordEvents(platform.deps, [{ type: "task.opened", taskId }]);
		await dispatchRecorded(platform.deps);
		expect(platform.messages).toEqual([]);
	});

	it("does not let an event that cannot be sent hold up the others", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		const { id } = await subscribe(agent, platform.url);
		const { id: taskId } = await createDraft(agent);
		await env.DB.prepare("insert into outbox (id, type, payload, created_at) values (?, 'task.opened', '{}', 0)")
			.bind(platform.deps.ids.next())
			.run();
		await platform.deps.db.query.batch([recordEvents(platform.deps, [{ type: "task.opened", taskId }])]);
		platform.clock.advance(MINUTE);
		await sweepOutbox(platform.deps);
		await platform.work();
		const { data } = await agent.call(listDeliveries, { params: { id } });
		expect(data).toMatchObject([{ status: "delivered" }]);
		expect(await queryOne("select dispatched_at as dispatchedAt from outbox where payload = '{}'")).toEqual({ dispatchedAt: null });
		await env.DB.prepare("delete from outbox where payload = '{}'").run();
	});

	it("tells more subscriptions of one event than one go takes, also when the message to go on is lost", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		const { id: taskId } = await createDraft(agent);
		const { id } = await subscribe(agent, platform.url, { task_ids: [taskId] });
		await env.DB.prepare(`
			insert into webhooks (id, agent_id, url, events, task_ids, secret_sealed, active, created_at)
			select printf('01a00000-0000-7000-8000-%012d', value), agent_id, url, events, task_ids, secret_sealed, 1, created_at
			from webhooks, (with recursive n(value) as (select 1 union all select value + 1 from n where value < 1199) select value from n)
			where id = ?`)
			.bind(id)
			.run();
		await emit(platform.deps, { type: "task.opened", taskId });
		expect(platform.messages).toHaveLength(1000);
		platform.clock.advance(MINUTE);
		await sweepOutbox(platform.deps);
		expect(new Set(platform.messages.map(({ deliveryId }) => deliveryId)).size).toBe(1200);
		expect(
			await count(
				"select count(distinct webhook_id) from webhook_deliveries as d join webhooks as w on w.id = d.webhook_id where w.url = ?",
				platform.url,
			),
		).toBe(1200);
		await env.DB.prepare("update webhooks set active = 0, inactive_reason = 'deleted' where url = ?").bind(platform.url).run();
		await agent.call(deleteWebhook, { params: { id } });
	});

	it("forgets what was sent on after 30 days, and nothing else", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		const { id: taskId } = await createDraft(agent);
		await emit(platform.deps, { type: "task.opened", taskId });
		await platform.deps.db.query.batch([recordEvents(platform.deps, [{ type: "task.closed", taskId }])]);
		platform.clock.advance(31 * 24 * 60 * MINUTE);
		await forgetOldEvents(platform.deps);
		expect(
			await queryOne("select count(*) as rows, sum(dispatched_at is null) as waiting from outbox where payload like ?", `%${taskId}%`),
		).toEqual({ rows: 1, waiting: 1 });
	});
});
