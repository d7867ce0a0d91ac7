// Tests the object of a webhook as it is deployed, with real alarms and a real receiver, and what it costs.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { drizzle } from "drizzle-orm/durable-sqlite";
import { describe, expect, inject, it } from "vitest";
import { selectLog } from "../../src/core/events/webhooks/object/store.ts";
import { DAY_MS } from "../../src/platform/clock.ts";
import { idFloorAt } from "../../src/platform/ids.ts";
import type { NewDelivery } from "../../src/ports/webhook-sender.ts";
import { admin } from "../support/admin.ts";
import type { ReceiverRecord } from "../support/hostile-receiver.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { NUMBERS, uuidSql } from "../support/seed-rows.ts";
import { emit, holdPlatform, subscribe, targetOf } from "../support/webhooks.ts";

const receiver = inject("hostileReceiver");

/** Returns a webhook with its object, and a delivery to it. */
async function meet(behaviour: string) {
	const name = crypto.randomUUID();
	const { id } = await subscribe(await registerAgent(), `${receiver}/${behaviour}/${name}`);
	const object = env.WEBHOOK_SENDER.getByName(id);
	const delivery: NewDelivery = { id: idFloorAt(Date.now()), eventId: name, eventType: "task.opened", taskId: null, body: "{}" };
	return {
		id,
		object,
		delivery,
		target: await targetOf(id),
		posts: async () => (await (await fetch(`${receiver}/${name}`)).json<ReceiverRecord>()).posts,
		log: () => object.listDeliveries({ before: null, limit: 10 }),
		alarmAt: () => runInDurableObject(object, (_, { storage }) => storage.getAlarm()),
	};
}

describe("the object of a webhook", () => {
	it("delivers what it receives, and wakes up to delete it", async () => {
		const { object, delivery, target, posts, log, alarmAt } = await meet("cut-200");
		await object.deliver(delivery, target);
		await expect.poll(async () => (await log())[0]?.status).toBe("delivered");
		expect(await posts()).toBe(1);
		// The alarm is set before the attempt, in case that the object dies during it.
		expect(((await alarmAt()) ?? 0) - Date.now()).toBeLessThanOrEqual(30_000);
		expect(await runDurableObjectAlarm(object)).toBe(true);
		expect((await alarmAt()) ?? 0).toBeGreaterThan(Date.now() + 30 * DAY_MS);
		await runInDurableObject(object, (_, { storage }) => {
			storage.sql.exec("update deliveries set id = ?, created_at = ?", idFloorAt(Date.now() - 31 * DAY_MS), Date.now() - 31 * DAY_MS);
		});
		await runDurableObjectAlarm(object);
		expect([await log(), await alarmAt(), await posts()]).toEqual([[], null, 1]);
	});

	it("forgets the failures of its receiver after its owner has renewed the webhook, and no sooner", async () => {
		const { object, delivery, target, log } = await meet("busy");
		await object.deliver(delivery, target);
		await expect.poll(async () => (await log())[0]?.attempts.length).toBe(1);
		const failingSince = () =>
			runInDurableObject(object, (_, { storage }) => storage.sql.exec("select failing_since from receiver").one()["failing_since"]);
		await object.refresh();
		expect(await failingSince()).toEqual(expect.any(Number));
		await object.refresh(true);
		expect(await failingSince()).toBeNull();
	});

	it("sets its alarm again after it has lost it", async () => {
		const { object, delivery, target, alarmAt } = await meet("busy");
		await object.deliver(delivery, target);
		await expect.poll(async () => (await object.listDeliveries({ before: null, limit: 1 }))[0]?.attempts.length).toBe(1);
		await runInDurableObject(object, (_, { storage }) => storage.deleteAlarm());
		await evictDurableObject(object);
		expect(await alarmAt()).not.toBeNull();
	});

	it("reads as many rows as the page of its log has, for any length of the log", async () => {
		const { object, alarmAt } = await meet("cut-200");
		expect(await alarmAt()).toBeNull();
		const rowsOf = (before: string | null) =>
			runInDurableObject(object, (_, { storage }) => {
				const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
				const exec = (text: string, ...values: unknown[]) => {
					const cursor = storage.sql.exec(text, ...values);
					cursors.push(cursor);
					return cursor;
				};
				const counted = new Proxy(storage, { get: (target, name) => (name === "sql" ? { exec } : Reflect.get(target, name)) });
				expect(selectLog(drizzle(counted), { before, limit: 20, maxBytes: 1_000_000 })).toHaveLength(20);
				return cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
			});
		await runInDurableObject(object, (_, { storage }) => {
			storage.sql.exec(
				`${NUMBERS} insert into deliveries (id, event_id, event_type, body, status, due_at, created_at)
				select ${uuidSql("i", 6)}, ${uuidSql("i", 7)}, 'task.opened', '{}', iif(i % 2, 'delivered', 'failed'), i, i from n`,
				...[1, 5_000],
			);
		});
		const [{ middle } = { middle: "" }] = await runInDurableObject(object, (_, { storage }) =>
			storage.sql.exec<{ middle: string }>("select id as middle from deliveries order by id limit 1 offset 2500").toArray(),
		);
		for (const before of [null, middle]) expect(await rowsOf(before)).toBeLessThanOrEqual(40);
	});
});

describe("the log of a webhook with long bodies", () => {
	it("is read in pages of 2 MB, which skip and repeat nothing", async () => {
		const agent = await registerAgent();
		const { id } = await subscribe(agent, `${receiver}/cut-200/${crypto.randomUUID()}`);
		await runInDurableObject(env.WEBHOOK_SENDER.getByName(id), (_, { storage }) => {
			storage.sql.exec(
				`${NUMBERS} insert into deliveries (id, event_id, event_type, body, status, due_at, created_at)
				select ${uuidSql("i", 6)}, ${uuidSql("i", 7)}, 'evaluation.completed', json_object('text', hex(zeroblob(750000))), 'delivered', i, i from n`,
				...[1, 25],
			);
		});
		const seen: string[] = [];
		const readPage = async (after: { readonly cursor?: string }) => {
			const { data, pagination } = await agent.call("listWebhookDeliveries", { params: { id }, query: { limit: 100, ...after } });
			seen.push(...data.map((delivery) => delivery.id));
			return pagination.next_cursor;
		};
		for (let cursor = await readPage({}); cursor !== null; ) cursor = await readPage({ cursor });
		expect(new Set(seen).size).toBe(25);
		expect(seen).toEqual(seen.toSorted().toReversed());
		const { tables, truncated } = await admin.call("exportAgent", { params: { id: agent.agentId } });
		expect(truncated).toEqual(["webhook_deliveries"]);
		expect(tables["webhook_deliveries"]).toHaveLength(15);
	});
});

describe("operators", () => {
	it("see deliveries that wait or have failed, count them, and retry them", async () => {
		const platform = holdPlatform();
		platform.receiver.answer = () => new Response("no", { status: 503 });
		const agent = await registerAgent();
		const { id: taskId } = await createDraft(agent);
		const { id: webhookId } = await subscribe(agent, platform.url);
		const operator = platform.clientOf({ ...agent, key: admin.key ?? "" });
		const jobs = async (query: Readonly<Record<string, string>> = {}) =>
			(await operator.call("listJobs", { query: { limit: 100, ...query } })).data.filter(({ kind }) => kind === "delivery");
		await emit(platform.deps, { type: "task.opened", taskId });
		await platform.work();
		expect(await jobs()).toEqual([]);
		expect(await operator.call("getMetrics")).toMatchObject({ delivery_backlog: 0, delivery_age_seconds: 0 });
		platform.clock.advance(30_000);
		await platform.work();
		const [waiting] = await jobs({ state: "waiting" });
		expect(waiting).toMatchObject({ webhook_id: webhookId, state: "waiting", attempts: 2, last_error: "HTTP 503", submission_id: null });
		expect(await jobs({ state: "failed" })).toEqual([]);
		expect(await operator.call("getMetrics")).toMatchObject({ delivery_backlog: 1, delivery_age_seconds: 30 });
		const retry = (id: string) => operator.call("retryJob", { params: { id }, body: { reason: "The receiver is back." } });
		const unknown = "01900000-0000-7000-8000-000000000000";
		await operator.refused("retryJob", "NOT_FOUND", { params: { id: unknown }, body: { reason: "Which?" } });
		// Each is the next attempt, up to the last one.
		for (let attempt = 3; attempt <= 8; attempt += 1) {
			expect((await retry(waiting?.id ?? "")).job_id).toBe(waiting?.id);
			await platform.work();
		}
		platform.clock.advance(30_000);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(8);
		expect(await jobs()).toMatchObject([{ id: waiting?.id, state: "failed", attempts: 8 }]);
		expect(await operator.call("getMetrics")).toMatchObject({ delivery_backlog: 0 });
		platform.receiver.answer = () => new Response();
		const { job_id } = await retry(waiting?.id ?? "");
		expect(job_id).not.toBe(waiting?.id);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(9);
		await operator.refused("retryJob", "NOT_FOUND", { params: { id: job_id }, body: { reason: "Again." } });
	});
});
