// Subscriptions, receivers and the work of the queue, for tests that hold the clock.
import { env } from "cloudflare:workers";
import { createApp } from "../../src/app.ts";
import { commit } from "../../src/db/commit.ts";
import type { DomainEvent } from "../../src/domain/events.ts";
import { dispatchRecorded } from "../../src/events/dispatch.ts";
import { recordEvents } from "../../src/events/outbox.ts";
import { createWebhook, listDeliveries } from "../../src/features/webhooks/contract.ts";
import { deliver } from "../../src/features/webhooks/delivery.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { WebhookMessage } from "../../src/ports/queues.ts";
import { type Client, createClient } from "./client.ts";
import { type ManualClock, manualClock, type TestDeps, testDeps } from "./deps.ts";
import type { RegisteredClient } from "./scenario.ts";
import { queryAll } from "./storage.ts";

export interface ReceivedCall {
	readonly at: number;
	readonly url: string;
	readonly headers: Headers;
	readonly body: string;
	/** How redirects are treated. */
	readonly redirect: string | undefined;
}

/** A receiver that answers what it is told to. */
export interface Receiver {
	readonly calls: ReceivedCall[];
	answer: (call: ReceivedCall) => Response | Promise<Response>;
}

/** A platform whose clock, queue and outside world are in the test's hands; D1 and the objects are real. */
export interface HeldPlatform {
	/** The receiver's address. What goes to others is taken and forgotten. */
	readonly url: string;
	readonly deps: TestDeps;
	readonly clock: ManualClock;
	readonly receiver: Receiver;
	readonly messages: { deliveryId: string; dueAt: number }[];
	/** Events that are to be gone on with. */
	readonly events: string[];
	/** Hands over what is due now, as the queue would. */
	work(): Promise<void>;
	/** The same agent as a client of this platform. */
	clientOf(agent: RegisteredClient): Client;
}

/** How far the held clock is ahead of the platform's own, on which agents submit before the test's events happen. */
export const HELD_AHEAD_MS = 3_600_000;

export function holdPlatform({
	clock = manualClock(Date.now() + HELD_AHEAD_MS),
	...change
}: Partial<Omit<Deps, "clock">> & { clock?: ManualClock } = {}): HeldPlatform {
	const url = `https://receiver.example.com/${crypto.randomUUID()}`;
	const messages: HeldPlatform["messages"] = [];
	const events: string[] = [];
	const receiver: Receiver = { calls: [], answer: () => new Response("taken") };
	const queue = {
		async send(message: WebhookMessage, options?: { delaySeconds?: number }) {
			if ("eventId" in message) events.push(message.eventId);
			else messages.push({ deliveryId: message.deliveryId, dueAt: clock.now() + (options?.delaySeconds ?? 0) * 1000 });
		},
		async sendBatch(batch: { body: WebhookMessage }[]) {
			for (const { body } of batch) await queue.send(body);
		},
	};
	const real = testDeps();
	const deps = testDeps({
		clock,
		random: () => 0,
		queues: { ...real.queues, webhooks: queue },
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
		messages,
		events,
		async work() {
			const due = messages.filter(({ dueAt }) => dueAt <= clock.now());
			messages.splice(0, messages.length, ...messages.filter(({ dueAt }) => dueAt > clock.now()));
			for (const { deliveryId } of due) await deliver(deps, deliveryId);
		},
		clientOf: (agent) => clientOf(agent, deps),
	};
}

function clientOf({ key }: RegisteredClient, deps: Deps): Client {
	const app = createApp(() => deps);
	return createClient({ key, fetch: (request) => app.fetch(request) });
}

/** Creates a webhook whose receiver passes the test. That test is not in the log: the log is for what follows. */
export async function subscribe(agent: RegisteredClient, url: string, change: Readonly<Record<string, unknown>> = {}) {
	const client = clientOf(agent, testDeps({ fetch: () => Promise.resolve(new Response()) }));
	const created = await client.call(createWebhook, { body: { url, events: ["task.opened"], ...change } });
	await env.DB.prepare("delete from webhook_deliveries where webhook_id = ?").bind(created.id).run();
	return created;
}

/** Writes copies of a webhook that differ in their ids only. */
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

/** Records an event as a verb would and sends it on. */
export async function emit(deps: Deps, event: DomainEvent): Promise<void> {
	await commit(deps.db, [recordEvents(deps, [event])]);
	await dispatchRecorded(deps);
}

export async function readLog(agent: RegisteredClient, webhookId: string) {
	const { data } = await agent.call(listDeliveries, { params: { id: webhookId }, query: { limit: 100 } });
	return data;
}

/** A subscription to an address that the platform would not take any more. */
export async function moveWebhook(webhookId: string, url: string): Promise<void> {
	await env.DB.prepare("update webhooks set url = ? where id = ?").bind(url, webhookId).run();
}
