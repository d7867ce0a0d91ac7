// Provides subscriptions, receivers and the objects of webhooks, for tests that control the clock.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { findAudience, findTarget } from "../../src/core/events/webhooks/audience.ts";
import { commit } from "../../src/db/commit.ts";
import type { DomainEvent } from "../../src/domain/events.ts";
import { dispatchRecorded } from "../../src/events/dispatch.ts";
import { recordEvents } from "../../src/events/outbox.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { WebhookTarget } from "../../src/ports/webhook-sender.ts";
import { createApp } from "./app.ts";
import { type Client, createClient } from "./client.ts";
import { type TestDeps, testDeps } from "./deps.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";
import type { RegisteredClient } from "./scenario.ts";
import { type HeldSenders, holdSenders, type SenderLife } from "./senders.ts";
import { count, queryAll } from "./storage.ts";
import { inTask } from "./task-object.ts";

export interface ReceivedCall {
	readonly at: number;
	readonly url: string;
	readonly headers: Headers;
	readonly body: string;
	/** The mode of the redirect handling. */
	readonly redirect: string | undefined;
}

/** A receiver of webhooks that responds as the test says. */
export interface Receiver {
	readonly calls: ReceivedCall[];
	answer: (call: ReceivedCall) => Response | Promise<Response>;
}

/** A platform whose clock, alarms and outside world the test controls. D1 and the storage of objects are real. */
export interface HeldPlatform {
	/** The receiver's URL. Requests to other URLs succeed and are not recorded. */
	readonly url: string;
	readonly deps: TestDeps;
	readonly clock: ManualClock;
	readonly receiver: Receiver;
	readonly senders: HeldSenders;
	/** Wakes the objects that are due, and waits for their work and the background work of others. */
	work(): Promise<void>;
	/** Returns the same agent as a client of this platform. */
	clientOf(agent: RegisteredClient): Client;
}

/** How far the held clock is ahead of the platform's own, in milliseconds, so that agents submit before the test's events happen. */
export const HELD_AHEAD_MS = 3_600_000;

interface Change extends Partial<Omit<Deps, "clock">> {
	readonly clock?: ManualClock;
	/** The dependencies of the webhooks' objects, if they differ from the platform's. */
	readonly openSenderDeps?: (deps: TestDeps, life: SenderLife) => Deps;
}

export function holdPlatform({
	clock = manualClock(Date.now() + HELD_AHEAD_MS),
	openSenderDeps = (deps) => deps,
	...change
}: Change = {}): HeldPlatform {
	const url = `https://receiver.example.com/${crypto.randomUUID()}`;
	const receiver: Receiver = { calls: [], answer: ({ body }) => new Response(body) };
	const senders = holdSenders(clock, (life) => openSenderDeps(deps, life));
	const deps = testDeps({
		clock,
		random: () => 0,
		hubs: { ...testDeps().hubs, ...senders.hubs },
		async fetch(target, init) {
			if (!target.startsWith(url)) return new Response();
			const call = { at: clock.now(), url: target, headers: new Headers(init.headers), body: String(init.body), redirect: init.redirect };
			receiver.calls.push(call);
			return receiver.answer(call);
		},
		...change,
	});
	return {
		url,
		deps,
		clock,
		receiver,
		senders,
		async work() {
			await deps.settled();
			await senders.ring();
			await deps.settled();
		},
		clientOf: (agent) => clientOf(agent, deps),
	};
}

function clientOf({ key }: RegisteredClient, deps: Deps): Client {
	const app = createApp(() => deps);
	return createClient({ key, fetch: (request) => app.fetch(request) });
}

/** Creates a webhook whose receiver passes the test. That test is deleted from the log. */
export async function subscribe(agent: RegisteredClient, url: string, change: Readonly<Record<string, unknown>> = {}) {
	const platform = holdPlatform({ clock: manualClock(), fetch: (_, { body }) => Promise.resolve(new Response(String(body))) });
	const created = await platform.clientOf(agent).call("createWebhook", { body: { url, events: ["task.opened"], ...change } });
	await platform.deps.settled();
	await platform.senders.hubs.callSender(created.id, (sender) => sender.erase());
	return created;
}

/** Inserts copies of a webhook that differ only in their ids. */
export async function copyWebhook(webhookId: string, copies: number): Promise<void> {
	const columns = await queryAll<{ name: string }>("select name from pragma_table_info('webhooks') where name <> 'id'");
	const list = columns.map(({ name }) => name).join(", ");
	const numbers =
		"with recursive n (value) as (select 1 where ?2 > 0 union all select value + 1 from n where value < ?2) select value from n";
	await env.DB.prepare(
		`insert into webhooks (id, ${list}) select printf('%s-%012d', substr(?1, 1, 23), value), ${list} from webhooks, (${numbers}) where id = ?1`,
	)
		.bind(webhookId, copies)
		.run();
}

/**
 * Records an event as a verb would, and sends it. A task's events come from its object, which then uses this platform's outside world.
 */
export async function emit(deps: Deps, event: DomainEvent): Promise<void> {
	if (event.type === "deal.created" || event.type === "deal.updated") {
		await commit(deps.db, [recordEvents(deps, [event])]);
		await dispatchRecorded(deps);
		return;
	}
	await lendTo(event.taskId, deps);
	await inTask(event.taskId, (task) => task.record(event));
}

/** Gives the object of a task the clock, the outside world and the webhooks of a platform, until it is evicted. */
export async function lendTo(taskId: string, { clock, log, random, hubs: { callSender } }: Deps): Promise<void> {
	await runInDurableObject(env.TASK.getByName(taskId), ({ runtime }) => {
		const { deps } = runtime;
		runtime.deps = { ...deps, clock, log, random, hubs: { ...deps.hubs, callSender } };
	});
}

export async function readLog(agent: Client, webhookId: string) {
	const { data } = await agent.call("listWebhookDeliveries", { params: { id: webhookId }, query: { limit: 100 } });
	return data;
}

/** Moves a subscription to a URL that the platform would refuse now, or to another host than the original one. */
export async function moveWebhook(webhookId: string, url: string): Promise<void> {
	await env.DB.prepare("update webhooks set url = ?, host = ? where id = ?").bind(url, new URL(url).host, webhookId).run();
}

export function countActiveWebhooks(host: string): Promise<number> {
	return count("select count(*) from webhooks where active = 1 and instr(lower(url), ?) > 0", host);
}

/**
 * Returns which of an agent's webhooks get an event about the agent now, and which may still get a delivery that is waiting. Both lists
 * begin with the oldest.
 */
export async function seenBySender(agentId: string): Promise<{ events: string[]; waiting: string[] }> {
	const deps = testDeps();
	const task = { id: crypto.randomUUID(), owner: null, category: null, entrants: [], readers: null };
	const query = { eventType: "submission.completed", task, audience: { kind: "agent", agentId } as const, after: "", limit: 500 };
	const events = await findAudience(deps, { ...query, happenedAt: Date.now() + HELD_AHEAD_MS });
	const all = await queryAll<{ id: string }>("select id from webhooks where agent_id = ? order by id", agentId);
	const waiting = await Promise.all(
		all.map(async ({ id }) => ((await findTarget(deps, { webhookId: id, taskId: null })) === null ? [] : [id])),
	);
	return { events: events.map(({ webhookId }) => webhookId), waiting: waiting.flat() };
}

/** Makes a webhook active, as if it had been created after its agent's credentials ended. */
export async function reviveWebhook(webhookId: string): Promise<void> {
	await env.DB.prepare("update webhooks set active = 1, inactive_reason = null where id = ?").bind(webhookId).run();
}

/** Returns what the platform sends to the object of a webhook with each event. */
export async function targetOf(webhookId: string): Promise<WebhookTarget> {
	const found = await findTarget(testDeps(), { webhookId, taskId: null });
	if (found === null) throw new Error(`Webhook ${webhookId} is stopped.`);
	return found.target;
}
