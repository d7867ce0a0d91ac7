// The plain data that the Worker and a webhook's Durable Object exchange. Errors are returned as values, because exceptions lose their
// class on the way.
import type { DeliveryStatus } from "../domain/retries.ts";
import type { PageBefore } from "./database.ts";

/** Where a webhook's deliveries are sent and with which secrets they are signed, as stored in D1. */
export interface WebhookTarget {
	readonly webhookId: string;
	readonly url: string;
	/** The host for which limits count the webhook: the registrable domain of its URL, from `readTargetHost`. */
	readonly host: string;
	/** The format of deliveries, as in the schema of D1. */
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

/** An attempt at a delivery and its response, as the log shows them. Times are in milliseconds since the epoch. */
export interface LoggedAttempt {
	/** The number of the attempt, counted from 1. */
	readonly number: number;
	readonly startedAt: number;
	readonly durationMs: number;
	/** The status of the response. Null if none arrived. */
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
	/** When the next attempt is due. While an attempt runs, when it started. */
	readonly dueAt: number;
	/** The id of the delivery that this one repeats on request. Null if it repeats none. */
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
	/** When the delivery ended, or when it was created if it has not ended. */
	readonly since: number;
	readonly dueAt: number;
	readonly lastError: string | null;
}

export interface UnsuccessfulQuery extends PageBefore {
	readonly state: UnsuccessfulDelivery["state"] | null;
}

/** The outcome of an attempt. `verified`: a test was delivered, and the response contains its challenge. */
export type AttemptEnd = "verified" | "delivered" | "retry" | "failed" | "gone";

export interface WebhookSenderPort {
	/** Stores a delivery and starts an attempt. A second call for the same event changes nothing. */
	deliver(delivery: NewDelivery, target: WebhookTarget): Promise<void>;
	/**
	 * Does the same as {@link deliver}, but waits for the attempt. Returns null if no attempt was made because the host is busy, or if the
	 * attempt was interrupted.
	 */
	deliverNow(delivery: NewDelivery, target: WebhookTarget): Promise<AttemptEnd | null>;
	/** Repeats a delivery that has ended, as a new delivery with the given `id`. Makes a pending delivery due now. Idempotent. */
	replay(replay: { readonly id: string; readonly deliveryId: string }, target: WebhookTarget): Promise<"queued" | "missing" | "pending">;
	/**
	 * Reads the webhook from D1 again, and cancels pending deliveries if it has been stopped. Call this after changing the webhook in D1.
	 *
	 * @param isRenewed If true, also forgets the earlier failures of the receiver.
	 */
	refresh(isRenewed?: boolean): Promise<void>;
	/** Lists deliveries, newest first. Returns fewer than the limit if their bodies are long, but none only if there are no more. */
	listDeliveries(query: PageBefore): Promise<LoggedDelivery[]>;
	/** Lists deliveries that have not succeeded, newest first. */
	listUnsuccessful(query: UnsuccessfulQuery): Promise<UnsuccessfulDelivery[]>;
	findUnsuccessful(deliveryId: string): Promise<UnsuccessfulDelivery | null>;
	/** Makes a pending delivery due now. */
	hasten(deliveryId: string): Promise<"due" | "running" | "ended">;
	/** Deletes the deliveries whose bodies contain `text`. */
	eraseAbout(text: string): Promise<void>;
	/** Deletes everything that the object stores. */
	erase(): Promise<void>;
}
