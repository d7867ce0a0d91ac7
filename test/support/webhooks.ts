// Subscriptions, receivers and the work of the queue, for tests that hold the clock.
import { env } from "cloudflare:workers";
import { commit } from "../../src/db/commit.ts";
import type { DomainEvent } from "../../src/domain/events.ts";
import { dispatchRecorded } from "../../src/events/dispatch.ts";
import { recordEvents } from "../../src/events/outbox.ts";
import { createWebhook, listDeliveries } from "../../src/features/webhooks/contract.ts";
import { deliver } from "../../src/features/webhooks/delivery.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { WebhookMessage } from "../../src/ports/queues.ts";
import { type ManualClock, manualClock, type TestDeps, testDeps } from "./deps.ts";
import type { RegisteredClient } from "./scenario.ts";

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
}

export function holdPlatform({
	clock = manualClock(),
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
	};
}

export async function subscribe(agent: RegisteredClient, url: string, change: Readonly<Record<string, unknown>> = {}) {
	return agent.call(createWebhook, { body: { url, events: ["task.opened"], ...change } });
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
