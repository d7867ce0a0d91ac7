// From one event to the objects of its subscriptions: the listener of the outbox.
import { chunksOf } from "../../domain/chunks.ts";
import type { PayloadFacts } from "../../domain/event-kinds.ts";
import { type EventName, type WebhookMessage, webhookMessageOf } from "../../domain/events.ts";
import { toIso } from "../../platform/clock.ts";
import type { Deps, RecordedEvent } from "../../ports/deps.ts";
import type { Target } from "../../ports/webhook-sender.ts";
import { readReport, reportKeyOf } from "../evaluation/report.ts";
import * as rules from "./rules.ts";
import * as store from "./store.ts";

const SUBSCRIPTIONS_PER_PAGE = 500;
const CALLS_AT_ONCE = 50;

/**
 * Sends an event to a page of its subscriptions. Safe to repeat: each subscription gets one delivery of an event.
 *
 * @returns The subscription to continue after, or null when all have their delivery.
 */
export async function fanOut(deps: Deps, recorded: RecordedEvent): Promise<string | null> {
	const message = webhookMessageOf(recorded.event);
	if (message === null) return null;
	const { type, taskId } = recorded.event;
	const { subscriptions, ...facts } = await store.findAudience(deps, {
		eventType: type,
		taskId,
		audience: message.audience,
		factIds: message.factIds,
		happenedAt: recorded.createdAt,
		after: recorded.fanOutAfter ?? "",
		limit: SUBSCRIPTIONS_PER_PAGE,
	});
	if (subscriptions.length === 0) return null;
	const body = await buildBody(deps, recorded, { message, facts });
	await sendEvent(deps, { id: recorded.id, type, taskId, body }, subscriptions);
	return subscriptions.length < SUBSCRIPTIONS_PER_PAGE ? null : (subscriptions.at(-1)?.webhookId ?? null);
}

export interface SentEvent {
	readonly id: string;
	readonly type: EventName;
	readonly taskId: string;
	/** See {@link rules.writeBody}. */
	readonly body: string;
}

/**
 * Hands an event to the objects of subscriptions, which deliver it. A repeated call changes nothing.
 *
 * @throws Error when an object could not be reached. The others have the event.
 */
export async function sendEvent(deps: Deps, { id, type, taskId, body }: SentEvent, subscriptions: readonly Target[]): Promise<void> {
	for (const chunk of chunksOf(subscriptions, CALLS_AT_ONCE)) {
		const calls = chunk.map((target) =>
			deps.hubs.callSender(target.webhookId, (sender) =>
				sender.deliver({ id: deps.ids.next(), eventId: id, eventType: type, taskId, body }, target),
			),
		);
		const failed = (await Promise.allSettled(calls)).find((call) => call.status === "rejected");
		if (failed !== undefined) throw failed.reason;
	}
}

type Facts = Omit<Awaited<ReturnType<typeof store.findAudience>>, "subscriptions">;

async function buildBody(
	deps: Deps,
	{ id, createdAt, event }: RecordedEvent,
	{ message, facts }: { readonly message: WebhookMessage; readonly facts: Facts },
): Promise<string> {
	const payload = message.toPayload(await completeFacts(deps, { message, facts }));
	return rules.writeBody({ event: event.type, id, createdAt, payload });
}

/** Facts of rows that do not exist are left out. */
async function completeFacts(
	deps: Deps,
	{ message: { factIds: ids }, facts: { task, submission } }: { readonly message: WebhookMessage; readonly facts: Facts },
): Promise<Partial<PayloadFacts>> {
	return {
		...(task === undefined ? {} : { task }),
		...(submission === undefined ? {} : { submission: { createdAt: toIso(submission.createdAt) } }),
		...(ids.evaluation === undefined ? {} : { evaluation: { dimensions: await readDimensions(deps, reportKeyOf(ids.evaluation)) } }),
	};
}

async function readDimensions(deps: Deps, reportKey: string) {
	const report = await readReport(deps, reportKey);
	return (report?.dimensions ?? []).map(({ criterion_name, score, reasoning }) => ({ criterion_name, score, reasoning }));
}
