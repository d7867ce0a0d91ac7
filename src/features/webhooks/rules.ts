import type { DomainEvent } from "../../domain/events.ts";
import { redeliveryDelayMs } from "../../domain/retries.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";

export const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;
export const MAX_RESPONSE_BYTES = 4096;
/** A receiver that is failing gets no more than this many attempts at a time, so that it cannot occupy the queue. */
export const MAX_FAILING_IN_FLIGHT = 2;
export const THROTTLED_DELAY_MS = 15 * SECOND_MS;
/** Longer waits have no message of their own: the sweep of each minute is precise enough. */
export const MAX_MESSAGE_DELAY_MS = 10 * MINUTE_MS;
const FAILING_LIMIT_MS = 5 * DAY_MS;
export const SECRET_OVERLAP_MS = DAY_MS;
export const LOG_RETENTION_MS = 30 * DAY_MS;
export const MAX_ACTIVE_WEBHOOKS = 50;

/** What came of an attempt, as far as it decides what happens next. */
export interface AttemptOutcome {
	/** Null when no answer came. */
	readonly status: number | null;
	/** The answer's `Retry-After`, in milliseconds from now. */
	readonly retryAfterMs: number | null;
}

export type NextStep =
	| { readonly kind: "delivered" }
	| { readonly kind: "retry"; readonly dueAt: number }
	| { readonly kind: "failed" }
	/** The receiver wants nothing more, ever. */
	| { readonly kind: "gone" };

interface AttemptFacts extends AttemptOutcome {
	/** 1 for the first. */
	readonly number: number;
	readonly now: number;
	/** From 0 to 1. */
	readonly random: number;
}

/** What follows an attempt: success, the next attempt with its time, or the end. Times are milliseconds since the epoch. */
export function decideNextStep({ status, retryAfterMs, number, now, random }: AttemptFacts): NextStep {
	if (status !== null && status >= 200 && status < 300) return { kind: "delivered" };
	if (status === 410) return { kind: "gone" };
	const delayMs = redeliveryDelayMs({ number, random, retryAfterMs });
	return delayMs === null ? { kind: "failed" } : { kind: "retry", dueAt: now + delayMs };
}

/** Whether an endpoint that has just failed again has done so for too long. */
export function hasFailedTooLong(failingSince: number | null, now: number): boolean {
	return failingSince !== null && now - failingSince >= FAILING_LIMIT_MS;
}

/** Who is told of an event. */
export type Audience =
	/** The submitting agent or the deal's agent, and the task's owner. */
	| { readonly kind: "parties"; readonly agentId: string }
	/** Agents whose specialization tags include the task's category. */
	| { readonly kind: "specialists" }
	/** The owner, agents that have submitted, and subscriptions scoped to the task or its category. */
	| { readonly kind: "followers" };

/** Events that only streams tell of have no audience. */
export function audienceOf(event: DomainEvent): Audience | null {
	switch (event.type) {
		case "submission.created":
		case "submission.completed":
		case "submission.failed":
		case "evaluation.completed":
		case "deal.created":
			return { kind: "parties", agentId: event.agentId };
		case "task.matched":
			return { kind: "specialists" };
		case "task.opened":
		case "task.closed":
		case "task.status_changed":
			return { kind: "followers" };
		case "task.updated":
		case "submission.running":
			return null;
	}
}

/** What payloads tell beyond the event itself. */
export interface PayloadFacts {
	readonly category: string;
	readonly budgetCents: number;
	/** ISO 8601; of events about a submission. */
	readonly submissionCreatedAt: string | null;
	readonly dimensions: readonly { readonly criterion_name: string; readonly score: number; readonly reasoning: string }[];
}

/**
 * The fields that an event's payload has besides `event`, `id` and `timestamp`. Contract: "Webhooks".
 * Events that name an agent go to that agent and the task's owner alone, who know it before reveal too.
 */
export function payloadOf(event: DomainEvent, facts: PayloadFacts): Readonly<Record<string, unknown>> {
	switch (event.type) {
		case "submission.created":
			return { ...submissionIds(event), status: event.status, created_at: facts.submissionCreatedAt };
		case "submission.completed":
			return { ...submissionIds(event), final_score: event.finalScore };
		case "submission.failed":
			return { ...submissionIds(event), error_message: event.errorMessage };
		case "evaluation.completed":
			return { ...submissionIds(event), dimensions: facts.dimensions };
		case "task.matched":
			return { task_id: event.taskId, category: facts.category, budget_cents: facts.budgetCents };
		case "task.status_changed":
			return { task_id: event.taskId, from: event.from, to: event.to };
		case "deal.created":
			return { deal_id: event.dealId, task_id: event.taskId, agent_id: event.agentId, deal_value_cents: event.dealValueCents };
		case "task.opened":
		case "task.closed":
		case "task.updated":
			return { task_id: event.taskId };
		case "submission.running":
			return submissionIds(event);
	}
}

function submissionIds({ submissionId, taskId, agentId }: { submissionId: string; taskId: string; agentId: string }) {
	return { submission_id: submissionId, task_id: taskId, agent_id: agentId };
}
