// What the outbox keeps, and how it goes on when an event is in its way. What dies in between is test/queues/event-faults.test.ts.
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { commit, decideAndCommit, guard, StaleReadError } from "../../src/db/commit.ts";
import { dispatchRecorded, sweepOutbox } from "../../src/events/dispatch.ts";
import { recordEvents } from "../../src/events/outbox.ts";
import { listDeliveries } from "../../src/features/webhooks/contract.ts";
import { testDeps } from "../support/deps.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { recordSenders } from "../support/senders.ts";
import { count, queryAll } from "../support/storage.ts";
import { copyWebhook, emit, holdPlatform, subscribe } from "../support/webhooks.ts";

const MINUTE = 60_000;

describe("the outbox", () => {
	it("has and sends nothing of a batch that was undone or never committed", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		await subscribe(agent, platform.url);
		const { id: taskId } = await createDraft(agent);
		const { deps } = platform;
		const undone = [guard(deps.db, sql`false`), recordEvents(deps, [{ type: "task.opened", taskId }])];
		await expect(commit(deps.db, undone)).rejects.toThrow(StaleReadError);
		recordEvents(deps, [{ type: "task.opened", taskId }]);
		const calls = deps.db.use.calls;
		await dispatchRecorded(deps);
		expect(deps.db.use.calls).toBe(calls);
		await platform.work();
		expect(platform.receiver.calls).toEqual([]);
		expect(await count("select count(*) from outbox where events like ?", `%${taskId}%`)).toBe(0);
	});

	it("sends the events of a decision that was made twice only once", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		await subscribe(agent, platform.url);
		const { id: taskId } = await createDraft(agent);
		const { deps } = platform;
		const holds = [sql`false`, sql`true`];
		await decideAndCommit(deps.db, () =>
			commit(deps.db, [guard(deps.db, holds.shift() ?? sql`true`), recordEvents(deps, [{ type: "task.opened", taskId }])]),
		);
		await dispatchRecorded(deps);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(1);
		expect(await count("select count(*) from _recorded_events where payload like ?", `%${taskId}%`)).toBe(1);
		expect(await count("select count(*) from outbox where events like ?", `%${taskId}%`)).toBe(0);
	});

	it("does not let an event that cannot be sent hold up the others", async () => {
		const platform = holdPlatform();
		const registered = await registerAgent();
		const agent = platform.clientOf(registered);
		const { id } = await subscribe(registered, platform.url);
		const { id: taskId } = await createDraft(agent);
		const broken = { id: platform.deps.ids.next(), type: "task.opened", payload: {} };
		await env.DB.prepare("insert into outbox (id, events, created_at) values (?, ?, 0)")
			.bind(broken.id, JSON.stringify([broken]))
			.run();
		await commit(platform.deps.db, [recordEvents(platform.deps, [{ type: "task.opened", taskId }])]);
		platform.clock.advance(MINUTE);
		await sweepOutbox(platform.deps);
		await platform.work();
		const { data } = await agent.call(listDeliveries, { params: { id } });
		expect(data).toMatchObject([{ status: "delivered" }]);
		expect(await queryAll("select events from outbox")).toEqual([{ events: JSON.stringify([broken]) }]);
		await env.DB.prepare("delete from outbox").run();
	});

	it("hands an event to more subscriptions than a page has, and goes on where it stopped when an object cannot be reached", async () => {
		let isAway = true;
		const senders = recordSenders(() => {
			if (isAway && senders.handed.length >= 700) throw new Error("The object is away.");
		});
		const log = { info: () => {}, error: () => {} };
		const platform = holdPlatform({ log, hubs: { ...testDeps().hubs, callSender: senders.callSender } });
		const agent = await registerAgent();
		const { id: taskId } = await createDraft(agent);
		const { id } = await subscribe(agent, platform.url, { task_ids: [taskId] });
		await copyWebhook(id, 1_199);
		await emit(platform.deps, { type: "task.opened", taskId });
		expect(senders.handed).toHaveLength(700);
		expect(await count("select count(*) from outbox")).toBe(1);
		isAway = false;
		senders.handed.splice(0, 500);
		platform.clock.advance(MINUTE);
		await sweepOutbox(platform.deps);
		// Of the second page, those that had the event get it again, which changes nothing.
		expect(senders.handed).toHaveLength(200 + 700);
		expect(new Set(senders.handed.map(({ webhookId }) => webhookId)).size).toBe(700);
		expect(new Set(senders.handed.map(({ eventId, body }) => `${eventId} ${body}`)).size).toBe(1);
		expect(await count("select count(*) from outbox")).toBe(0);
		await env.DB.prepare("update webhooks set active = 0, inactive_reason = 'deleted' where url = ?").bind(platform.url).run();
	});

	it("forgets what was sent on, and nothing else", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		const { id: taskId } = await createDraft(agent);
		await emit(platform.deps, { type: "task.opened", taskId });
		const waiting = recordEvents(platform.deps, [{ type: "task.closed", taskId }]);
		await commit(platform.deps.db, [waiting]);
		const rows = await queryAll<{ id: string }>("select id from outbox where events like ?", `%${taskId}%`);
		expect(rows).toEqual([{ id: waiting.outboxId }]);
		await env.DB.prepare("delete from outbox").run();
	});

	it("keeps of the events of one commit those that cannot be sent", async () => {
		const platform = holdPlatform();
		const registered = await registerAgent();
		const agent = platform.clientOf(registered);
		const { id } = await subscribe(registered, platform.url);
		const { id: taskId } = await createDraft(agent);
		const recorded = recordEvents(platform.deps, [
			{ type: "task.opened", taskId },
			{ type: "task.closed", taskId },
		]);
		await commit(platform.deps.db, [recorded]);
		await env.DB.prepare("update outbox set events = json_set(events, '$[1].type', 'task.unheard_of') where id = ?")
			.bind(recorded.outboxId)
			.run();
		await dispatchRecorded(platform.deps);
		expect(await queryAll("select json_array_length(events) as waiting, events->>'$[0].type' as type from outbox")).toEqual([
			{ waiting: 1, type: "task.unheard_of" },
		]);
		await env.DB.prepare("delete from outbox").run();
		await platform.work();
		expect((await agent.call(listDeliveries, { params: { id } })).data).toHaveLength(1);
	});
});
