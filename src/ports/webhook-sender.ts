// The plain data that the Worker and a webhook's Durable Object exchange. Errors are values, because exceptions lose their class on the
// way.
import type { DeliveryStatus } from "../domain/retries.ts";
import type { PageBefore } from "./database.ts";

/** Where a webhook's deliveries are sent and with which secrets, from D1. */
export interface WebhookTarget {
	readonly webhookId: string;
	readonly url: string;
	/** The name under which limits per host are counted: the registrable domain of the URL (`readTargetHost`). */
	readonly host: string;
	/** The format of deliveries, from D1. */
	readonly format: "standard" | "slack" | "discord";
	/** The origin of links in messages. */
	readonly origin: string;
	readonly secretEncrypted: string;
	readonly previousSecretEncrypted: string | null;
	readonly previousSecretExpiresAt: number | null;
}

/** An event on its way to a webhook. */
export interface NewDelivery {
	readonly id: string;
	readonly eventId: string;
	readonly eventType: string;
	/** The task that the event is about. Null for a test. */
	readonly taskId: string | null;
	/** The body that every attempt sends. */
	readonly body: string;
}

/** An attempt at a delivery and its response, for the log. Times are in milliseconds since the epoch. */
export interface LoggedAttempt {
	/** Counted from 1. */
	readonly number: number;
	readonly startedAt: number;
	readonly durationMs: number;
	/** Null if no response arrived. */
	readonly responseCode: number | null;
	readonly responseBody: string | null;
	readonly error: string | null;
}

export interface LoggedDelivery {
	readonly id: string;
	readonly eventId: string;
	readonly eventType: string;
	readonly body: string;
	readonly status: DeliveryStatus;
	/** When the next attempt is due, or when the current attempt started. */
	readonly dueAt: number;
	/** The delivery that this one repeats on request. */
	readonly replayOf: string | null;
	readonly createdAt: number;
	readonly finishedAt: number | null;
	readonly attempts: LoggedAttempt[];
}

/** A delivery that has not succeeded, as operators see it. */
export interface UnsuccessfulDelivery {
	readonly id: string;
	readonly state: "waiting" | "running" | "stuck" | "failed";
	readonly attempts: number;
	/** When the delivery ended, or else when it was created. */
	readonly since: number;
	readonly dueAt: number;
	readonly lastError: string | null;
}

export interface UnsuccessfulQuery extends PageBefore {
	readonly state: UnsuccessfulDelivery["state"] | null;
}

/** The outcome of an attempt. `verified`: a test was delivered, and its response contains the test's challenge. */
export type AttemptEnd = "verified" | "delivered" | "retry" | "failed" | "gone";

export interface WebhookSenderPort {
	/** Stores a delivery and starts an attempt. Idempotent per event. */
	deliver(delivery: NewDelivery, target: WebhookTarget): Promise<void>;
	/**
	 * Like `deliver`, but waits for the attempt. Returns null if the host is busy, so no attempt was made, or if the attempt was interrupted.
	 */
	deliverNow(delivery: NewDelivery, target: WebhookTarget): Promise<AttemptEnd | null>;
	/** Repeats an ended delivery under this id, or makes a pending one due now. Idempotent. */
	replay(replay: { readonly id: string; readonly deliveryId: string }, target: WebhookTarget): Promise<"queued" | "missing" | "pending">;
	/**
	 * Cancels the pending deliveries of a stopped webhook. Call it after the webhook was changed in D1.
	 *
	 * @param isRenewed If true, forgets the receiver's failures so far.
	 */
	refresh(isRenewed?: boolean): Promise<void>;
	/** Lists deliveries, newest first. */
	listDeliveries(query: PageBefore): Promise<LoggedDelivery[]>;
	/** Lists deliveries that have not succeeded, newest first. */
	listUnsuccessful(query: UnsuccessfulQuery): Promise<UnsuccessfulDelivery[]>;
	findUnsuccessful(deliveryId: string): Promise<UnsuccessfulDelivery | null>;
	/** Makes a pending delivery due now. */
	hasten(deliveryId: string): Promise<"due" | "running" | "ended">;
	/** Deletes the deliveries whose bodies contain a string. */
	eraseAbout(text: string): Promise<void>;
	/** Deletes everything. */
	erase(): Promise<void>;
}
