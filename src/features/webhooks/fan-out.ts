// From one event to the deliveries of all who are to know of it: what the outbox calls.
import type { Deps } from "../../deps.ts";
import type { DomainEvent } from "../../events/domain.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import { readReport } from "../evaluation/service.ts";
import { announceDeliveries } from "./delivery.ts";
import * as rules from "./rules.ts";
import * as store from "./store.ts";

const SUBSCRIPTIONS_PER_PAGE = 500;

export interface RecordedEvent {
	readonly id: string;
	readonly createdAt: number;
	readonly event: DomainEvent;
}

/** Writes the deliveries of an event and announces them. Safe to repeat: each subscription gets one delivery of an event. */
export async function fanOut(deps: Deps, recorded: RecordedEvent): Promise<void> {
	const audience = rules.audienceOf(recorded.event);
	if (audience === null) return;
	let payload: Payload | null = null;
	let after = "";
	for (;;) {
		const { type: eventType, taskId } = recorded.event;
		const page = await store.selectAudience(deps, { eventType, taskId, audience, after, limit: SUBSCRIPTIONS_PER_PAGE });
		const last = page.at(-1);
		if (last === undefined) return;
		payload ??= await buildPayload(deps, recorded);
		const rows = page.map(({ id }) => ({ id: deps.ids.next(), webhookId: id, eventId: recorded.id }));
		await announceDeliveries(deps, await store.insertFanOut(deps, { payload, rows }));
		if (page.length < SUBSCRIPTIONS_PER_PAGE) return;
		after = last.id;
	}
}

interface Payload {
	readonly eventId: string;
	readonly eventType: string;
	readonly body: string;
}

async function buildPayload(deps: Deps, { id, createdAt, event }: RecordedEvent): Promise<Payload> {
	const submissionId = "submissionId" in event ? event.submissionId : "";
	const evaluationId = "evaluationId" in event ? event.evaluationId : "";
	const facts = await store.findPayloadFacts(deps, { taskId: event.taskId, submissionId, evaluationId });
	const report = await readReport(deps, facts.reportKey);
	const fields = rules.payloadOf(event, {
		category: facts.task?.category ?? "",
		budgetCents: facts.task?.budgetCents ?? 0,
		submissionCreatedAt: toIsoOrNull(facts.submissionCreatedAt),
		dimensions: (report?.dimensions ?? []).map(({ criterion_name, score, reasoning }) => ({ criterion_name, score, reasoning })),
	});
	const body = JSON.stringify({ event: event.type, id, timestamp: toIso(createdAt), ...fields });
	return { eventId: id, eventType: event.type, body };
}
