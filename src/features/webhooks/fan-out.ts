// From one event to a delivery for each subscription: the listener of the outbox.

import type { FactIds, PayloadFacts } from "../../domain/event-kinds.ts";
import { type WebhookMessage, webhookMessageOf } from "../../domain/events.ts";
import { toIso } from "../../platform/clock.ts";
import type { Deps, RecordedEvent } from "../../ports/deps.ts";
import { readReport, reportKeyOf } from "../evaluation/report.ts";
import { announceDeliveries } from "./delivery.ts";
import * as rules from "./rules.ts";
import * as store from "./store.ts";

const SUBSCRIPTIONS_PER_PAGE = 500;
/** Pages of one request or message. An event with more subscriptions continues in another message. */
const PAGES_PER_RUN = 2;

/**
 * Writes deliveries of an event and announces them. Safe to repeat: each subscription gets one delivery of an event.
 *
 * @returns The subscription to continue after, or null when all have their delivery.
 */
export async function fanOut(deps: Deps, recorded: RecordedEvent): Promise<string | null> {
	const message = webhookMessageOf(recorded.event);
	if (message === null) return null;
	const { audience } = message;
	const { type: eventType, taskId } = recorded.event;
	let payload: Payload | null = null;
	const query = { eventType, taskId, audience, happenedAt: recorded.createdAt, limit: SUBSCRIPTIONS_PER_PAGE };
	let after = recorded.fanOutAfter ?? "";
	for (let page = 0; page < PAGES_PER_RUN; page += 1) {
		const subscriptions = await store.selectAudience(deps, { ...query, after });
		const last = subscriptions.at(-1);
		if (last === undefined) return null;
		payload ??= await buildPayload(deps, recorded, message);
		const rows = subscriptions.map(({ id }) => ({ id: deps.ids.next(), webhookId: id }));
		await announceDeliveries(deps, await store.saveFanOut(deps, { payload, rows }));
		if (subscriptions.length < SUBSCRIPTIONS_PER_PAGE) return null;
		after = last.id;
	}
	return after;
}

interface Payload {
	readonly eventId: string;
	readonly eventType: string;
	readonly body: string;
}

async function buildPayload(deps: Deps, { id, createdAt, event }: RecordedEvent, message: WebhookMessage): Promise<Payload> {
	const payload = message.toPayload(await readFacts(deps, message.factIds));
	return { eventId: id, eventType: event.type, body: rules.writeBody({ event: event.type, id, createdAt, payload }) };
}

/** Facts of rows that do not exist are left out. */
async function readFacts(deps: Deps, ids: FactIds): Promise<Partial<PayloadFacts>> {
	if (Object.keys(ids).length === 0) return {};
	const { task, submission } = await store.findPayloadFacts(deps, ids);
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
