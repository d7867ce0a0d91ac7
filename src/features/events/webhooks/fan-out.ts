// From one event to the objects of its subscriptions.
import { chunksOf } from "../../../domain/chunks.ts";
import type { Audience } from "../../../domain/event-kinds.ts";
import { type EventName, webhookMessageOf } from "../../../domain/events.ts";
import type { Deps, RecordedEvent } from "../../../ports/deps.ts";
import type { Target } from "../../../ports/webhook-sender.ts";
import { type EventTask, findAudience } from "./audience/store.ts";
import * as rules from "./rules.ts";

const SUBSCRIPTIONS_PER_PAGE = 500;
const CALLS_AT_ONCE = 50;

/**
 * Sends an event of D1's outbox to a page of its subscriptions. Safe to repeat: each subscription gets one delivery of an event. These
 * events are about deals, whose parties may always read the task.
 *
 * @returns The subscription to continue after, or null when all have their delivery.
 */
export async function fanOut(deps: Deps, recorded: RecordedEvent): Promise<string | null> {
	const message = webhookMessageOf(recorded.event);
	if (message === null) return null;
	const { taskId } = recorded.event;
	const task = { id: taskId, owner: null, category: null, entrants: [], readers: null };
	return sendPage(deps, recorded, { task, audience: message.audience, payload: message.toPayload({}) });
}

interface Message {
	readonly task: EventTask;
	readonly audience: Audience;
	/** The fields of the body besides those of each event. */
	readonly payload: Readonly<Record<string, unknown>>;
}

/** Sends an event to a page of its subscriptions, and returns what {@link fanOut} does. */
export async function sendPage(deps: Deps, recorded: RecordedEvent, { task, audience, payload }: Message): Promise<string | null> {
	const { id, createdAt, fanOutAfter } = recorded;
	const { type } = recorded.event;
	const subscriptions = await findAudience(deps, {
		eventType: type,
		task,
		audience,
		happenedAt: createdAt,
		after: fanOutAfter ?? "",
		limit: SUBSCRIPTIONS_PER_PAGE,
	});
	const body = rules.writeBody({ event: type, id, createdAt, payload });
	await sendEvent(deps, { id, type, taskId: task.id, body }, subscriptions);
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
