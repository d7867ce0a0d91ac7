// The Durable Object of a webhook as the Worker sees it: plain data in both directions, refusals as values.
import type { DeliveryStatus } from "../domain/delivery-status.ts";

/** Where and with which secrets a webhook's deliveries are sent, as D1 has it. */
export interface Target {
	readonly webhookId: string;
	readonly url: string;
	/** The URL's host as `readTargetHost` normalises it. */
	readonly host: string;
	readonly secretSealed: string;
	readonly previousSecretSealed: string | null;
	readonly previousSecretExpiresAt: number | null;
}

/** An event on its way to a webhook. */
export interface NewDelivery {
	readonly id: string;
	readonly eventId: string;
	readonly eventType: string;
	/** The task that it is about; null for a test. */
	readonly taskId: string | null;
	/** The bytes that every attempt sends. */
	readonly body: string;
}

/** One attempt at a delivery, and what came back. Times in milliseconds since the epoch. */
export interface LoggedAttempt {
	/** From 1. */
	readonly number: number;
	readonly startedAt: number;
	readonly durationMs: number;
	/** Null when no response arrived. */
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
	/** When the next attempt is due; of an attempt under way, when it started. */
	readonly dueAt: number;
	/** The delivery that this one repeats on request. */
	readonly replayOf: string | null;
	readonly createdAt: number;
	readonly finishedAt: number | null;
	readonly attempts: LoggedAttempt[];
}

export interface LogQuery {
	/** Deliveries with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

/** What operators of the deployment see of a delivery that has not succeeded. */
export interface UnsuccessfulDelivery {
	readonly id: string;
	readonly state: "waiting" | "running" | "stuck" | "failed";
	readonly attempts: number;
	/** When it ended, else when it was created. */
	readonly since: number;
	readonly dueAt: number;
	readonly lastError: string | null;
}

export interface UnsuccessfulQuery extends LogQuery {
	readonly state: UnsuccessfulDelivery["state"] | null;
}

/** What followed an attempt. */
export type AttemptEnd = "delivered" | "retry" | "failed" | "gone";

export interface WebhookSenderPort {
	/** Stores a delivery and begins an attempt. A repeated call for the same event changes nothing. */
	deliver(delivery: NewDelivery, target: Target): Promise<void>;
	/** Like `deliver`, and waits for the attempt. Null when there was none, because the host is busy or the attempt was cut off. */
	deliverNow(delivery: NewDelivery, target: Target): Promise<AttemptEnd | null>;
	/** Makes a delivery with this id that repeats one which has ended. A repeated call changes nothing. */
	replay(replay: { readonly id: string; readonly deliveryId: string }, target: Target): Promise<"queued" | "missing" | "pending">;
	/** The webhook has changed in D1: if it is stopped, its pending deliveries are cancelled. */
	refresh(): Promise<void>;
	/** Newest first. */
	listDeliveries(query: LogQuery): Promise<LoggedDelivery[]>;
	/** Newest first. */
	listUnsuccessful(query: UnsuccessfulQuery): Promise<UnsuccessfulDelivery[]>;
	findUnsuccessful(deliveryId: string): Promise<UnsuccessfulDelivery | null>;
	/** Makes a pending delivery due now. */
	hasten(deliveryId: string): Promise<"due" | "running" | "ended">;
	/** Deletes the deliveries whose bodies contain a text. */
	eraseAbout(text: string): Promise<void>;
	/** Deletes everything. */
	erase(): Promise<void>;
}
