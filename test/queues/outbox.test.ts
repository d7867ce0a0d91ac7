// An outbox keeps its events, and continues when one of them fails. D1 has one for the events of deals, and the object of each task one
// for its own. test/faults covers crashes.
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { commit, decideAndCommit, guard, StaleReadError } from "../../src/db/commit.ts";
import { dispatchRecorded, sweepOutbox } from "../../src/events/dispatch.ts";
import { recordEvents } from "../../src/events/outbox.ts";
import { testDeps } from "../support/deps.ts";
import { createDraft, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { recordSenders } from "../support/senders.ts";
import { count, queryAll } from "../support/storage.ts";
import { awaitEvents, inTask, queryTask } from "../support/task-object.ts";
import { copyWebhook, emit, holdPlatform, lendTo, readLog, subscribe } from "../support/webhooks.ts";

const MINUTE = 60_000;
const SILENT = { info: () => {}, error: () => {} };

/** Records a deal between the agent and itself, and returns its event. */
async function makeDeal(agent: RegisteredClient) {
	const { id: taskId } = await createDraft(agent);
	return { type: "deal.created" as const, taskId, agentId: agent.agentId, dealId: crypto.randomUUID(), dealValueCents: 900 };
}

const onDeals = { events: ["deal.created", "deal.updated"] };

describe("the outbox of D1", () => {
	it("has and sends nothing of a batch that was undone or never committed", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		await subscribe(agent, platform.url, onDeals);
		const deal = await makeDeal(agent);
		const { deps } = platform;
		const undone = [guard(deps.db, sql`false`), recordEvents(deps, [deal])];
		await expect(commit(deps.db, undone)).rejects.toThrow(StaleReadError);
		recordEvents(deps, [deal]);
		const calls = deps.db.use.calls;
		await dispatchRecorded(deps);
		expect(deps.db.use.calls).toBe(calls);
		await platform.work();
		expect(platform.receiver.calls).toEqual([]);
		expect(await count("select count(*) from outbox where events like ?", `%${deal.dealId}%`)).toBe(0);
	});

	it("sends the events of a decision that was made twice only once", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		await subscribe(agent, platform.url, onDeals);
		const deal = await makeDeal(agent);
		const { deps } = platform;
		const holds = [sql`false`, sql`true`];
		await decideAndCommit(deps.db, () => commit(deps.db, [guard(deps.db, holds.shift() ?? sql`true`), recordEvents(deps, [deal])]));
		await dispatchRecorded(deps);
		await platform.work();
		expect(platform.receiver.calls).toHaveLength(1);
		expect(await count("select count(*) from _recorded_events where payload like ?", `%${deal.dealId}%`)).toBe(1);
		expect(await count("select count(*) from outbox where events like ?", `%${deal.dealId}%`)).toBe(0);
	});

	it("continues after an event that cannot be sent", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		const { id } = await subscribe(agent, platform.url, onDeals);
		const broken = { id: platform.deps.ids.next(), type: "deal.created", payload: {} };
		await env.DB.prepare("insert into outbox (id, events, created_at) values (?, ?, 0)")
			.bind(broken.id, JSON.stringify([broken]))
			.run();
		await commit(platform.deps.db, [recordEvents(platform.deps, [await makeDeal(agent)])]);
		platform.clock.advance(MINUTE);
		await sweepOutbox(platform.deps);
		await platform.work();
		expect(await readLog(platform.clientOf(agent), id)).toMatchObject([{ status: "delivered" }]);
		expect(await queryAll("select events from outbox")).toEqual([{ events: JSON.stringify([broken]) }]);
		await env.DB.prepare("delete from outbox").run();
	});

	it("sends an event to more subscriptions than a page has, and resumes if an object cannot be reached", async () => {
		const { platform, senders, agent } = await crowd(onDeals);
		const deal = await makeDeal(agent);
		await emit(platform.deps, deal);
		expect(senders.handed).toHaveLength(700);
		expect(await count("select count(*) from outbox")).toBe(1);
		senders.comeBack();
		platform.clock.advance(MINUTE);
		await sweepOutbox(platform.deps);
		senders.expectRest();
		expect(await count("select count(*) from outbox")).toBe(0);
		await deactivateAt(platform.url);
	});

	it("is emptied by one sweep, for any number of rows after one that cannot be sent", async () => {
		const platform = holdPlatform();
		const rows = Array.from({ length: 520 }, (_, index) => {
			const id = `${index}`.padStart(36, "0");
			return { id, events: index === 0 ? [{ id, type: "deal.created", payload: {} }] : [] };
		});
		await env.DB.prepare("insert into outbox (id, events, created_at) select value->>'id', value->'events', 0 from json_each(?)")
			.bind(JSON.stringify(rows))
			.run();
		platform.clock.advance(MINUTE);
		const { deps } = platform;
		const calls = deps.db.use.calls;
		await sweepOutbox(deps);
		expect(await queryAll("select id from outbox")).toEqual([{ id: rows[0]?.id }]);
		// A page of 50 rows costs a read and a deletion.
		expect(deps.db.use.calls - calls).toBeLessThanOrEqual(2 * 11);
		await env.DB.prepare("delete from outbox").run();
	});

	it("keeps only the events of a commit that cannot be sent", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		const { id } = await subscribe(agent, platform.url, onDeals);
		const recorded = recordEvents(platform.deps, [await makeDeal(agent), await makeDeal(agent)]);
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
		expect(await readLog(platform.clientOf(agent), id)).toHaveLength(1);
	});
});

describe("the outbox of a task", () => {
	it("has and sends nothing of a change that was undone", async () => {
		const platform = holdPlatform();
		const agent = await registerAgent();
		const { id: taskId } = await createDraft(agent);
		await subscribe(agent, platform.url);
		await lendTo(taskId, platform.deps);
		const undone = inTask(taskId, (task) => {
			task.record({ type: "task.opened", taskId });
			throw new Error("No.");
		});
		await expect(undone).rejects.toThrow("No.");
		await awaitEvents(taskId);
		await platform.work();
		expect(platform.receiver.calls).toEqual([]);
		expect(await waitingIn(taskId)).toEqual([]);
	});

	it("keeps the events of a change that cannot be sent, and sends the others", async () => {
		const platform = holdPlatform({ log: SILENT });
		const agent = await registerAgent();
		const { id } = await subscribe(agent, platform.url);
		const { id: taskId } = await createDraft(agent);
		await lendTo(taskId, platform.deps);
		const events = [
			{ id: crypto.randomUUID(), type: "task.opened", payload: { taskId } },
			{ id: crypto.randomUUID(), type: "task.unheard_of", payload: {} },
		];
		const now = platform.clock.now();
		const row = ["0", taskId, JSON.stringify(events), now, now];
		await queryTask(
			taskId,
			"insert into outbox (id, task_id, events, is_task_changed, submission_ids, created_at, task_time) values (?, ?, ?, 0, '[]', ?, ?)",
			...row,
		);
		await inTask(taskId, (task) => task.record({ type: "task.opened", taskId }));
		await platform.work();
		expect(await waitingIn(taskId)).toEqual(["task.unheard_of"]);
		expect((await readLog(platform.clientOf(agent), id)).map(({ status }) => status)).toEqual(["delivered", "delivered"]);
	});

	it("sends an event to more subscriptions than a page has, and resumes if an object cannot be reached", async () => {
		const { platform, senders, agent } = await crowd({ events: ["task.opened"] });
		const { id: taskId } = await createDraft(agent);
		await emit(platform.deps, { type: "task.opened", taskId });
		expect(senders.handed).toHaveLength(700);
		expect(await waitingIn(taskId)).toEqual(["task.opened"]);
		senders.comeBack();
		await awaitEvents(taskId);
		senders.expectRest();
		expect(await waitingIn(taskId)).toEqual([]);
		await deactivateAt(platform.url);
	});
});

/** Returns the types of the events that a task's object still has to send. */
async function waitingIn(taskId: string): Promise<string[]> {
	const rows = await queryTask<{ type: string }>(taskId, "select value->>'type' as type from outbox, json_each(events)");
	return rows.map(({ type }) => type);
}

/** Returns a platform with 1,200 webhooks of one agent, whose objects accept 700 deliveries before they fail for a while. */
async function crowd(change: Readonly<Record<string, unknown>>) {
	let isAway = true;
	const { handed, callSender } = recordSenders(() => {
		if (isAway && handed.length >= 700) throw new Error("The object is away.");
	});
	const platform = holdPlatform({ log: SILENT, hubs: { ...testDeps().hubs, callSender } });
	const agent = await registerAgent();
	const { id } = await subscribe(agent, platform.url, change);
	await copyWebhook(id, 1_199);
	const senders = {
		handed,
		comeBack() {
			isAway = false;
			handed.splice(0, 500);
		},
		/** The first receivers of the second page get the event again, which changes nothing. */
		expectRest() {
			expect(handed).toHaveLength(200 + 700);
			expect(new Set(handed.map(({ webhookId }) => webhookId)).size).toBe(700);
			expect(new Set(handed.map(({ eventId, body }) => `${eventId} ${body}`)).size).toBe(1);
		},
	};
	return { platform, senders, agent };
}

async function deactivateAt(url: string): Promise<void> {
	await env.DB.prepare("update webhooks set active = 0, inactive_reason = 'deleted' where url = ?").bind(url).run();
}
