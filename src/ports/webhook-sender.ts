// The Worker and the Durable Object of a webhook exchange plain data, and errors as values, because errors lose their class on the way.
import type { DeliveryStatus } from "../domain/retries.ts";
import type { PageBefore } from "./database.ts";

/** D1 says where and with which secrets a webhook's deliveries are sent. */
export interface WebhookTarget {
	readonly webhookId: string;
	readonly url: string;
	/** Limits per host count by this name, the registrable domain of the URL (`readTargetHost`). */
	readonly host: string;
	/** D1 says how deliveries are written. */
	readonly format: "standard" | "slack" | "discord";
	/** Links in messages start with this origin. */
	readonly origin: string;
	readonly secretEncrypted: string;
	readonly previousSecretEncrypted: string | null;
	readonly previousSecretExpiresAt: number | null;
}

/** A delivery is an event on its way to a webhook. */
export interface NewDelivery {
	readonly id: string;
	readonly eventId: string;
	readonly eventType: string;
	/** The event is about this task. Null for a test. */
	readonly taskId: string | null;
	/** Every attempt sends the same body. */
	readonly body: string;
}

/** The log has each attempt at a delivery, and what came back. Times are in milliseconds since the epoch. */
export interface LoggedAttempt {
	/** Attempts count from 1. */
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
	/** When the next attempt is due. If one is under way, it started at this time. */
	readonly dueAt: number;
	/** If it was asked for as a repetition, it repeats this delivery. */
	readonly replayOf: string | null;
	readonly createdAt: number;
	readonly finishedAt: number | null;
	readonly attempts: LoggedAttempt[];
}

/** Operators of the deployment see this of a delivery that has not succeeded. */
export interface UnsuccessfulDelivery {
	readonly id: string;
	readonly state: "waiting" | "running" | "stuck" | "failed";
	readonly attempts: number;
	/** When it ended, or was created then. */
	readonly since: number;
	readonly dueAt: number;
	readonly lastError: string | null;
}

export interface UnsuccessfulQuery extends PageBefore {
	readonly state: UnsuccessfulDelivery["state"] | null;
}

/** An attempt ends in one of these ways. `verified` is a delivered test whose response contains its challenge. */
export type AttemptEnd = "verified" | "delivered" | "retry" | "failed" | "gone";

export interface WebhookSenderPort {
	/** Stores a delivery and begins an attempt. A repeated call for the same event changes nothing. */
	deliver(delivery: NewDelivery, target: WebhookTarget): Promise<void>;
	/**
	 * Does what `deliver` does, and waits for the attempt. Returns null if there is none, because the host is busy or the attempt was cut
	 * off.
	 */
	deliverNow(delivery: NewDelivery, target: WebhookTarget): Promise<AttemptEnd | null>;
	/** Makes a delivery with this id that repeats an ended one, or a pending one due now. A repeated call makes no second delivery. */
	replay(replay: { readonly id: string; readonly deliveryId: string }, target: WebhookTarget): Promise<"queued" | "missing" | "pending">;
	/**
	 * Cancels the pending deliveries of a webhook that was stopped. Call it after a change of the webhook in D1.
	 *
	 * @param isRenewed Forgets the failures of the receiver so far.
	 */
	refresh(isRenewed?: boolean): Promise<void>;
	/** Lists deliveries, the newest first. */
	listDeliveries(query: PageBefore): Promise<LoggedDelivery[]>;
	/** Lists deliveries that have not succeeded, the newest first. */
	listUnsuccessful(query: UnsuccessfulQuery): Promise<UnsuccessfulDelivery[]>;
	findUnsuccessful(deliveryId: string): Promise<UnsuccessfulDelivery | null>;
	/** Makes a pending delivery due now. */
	hasten(deliveryId: string): Promise<"due" | "running" | "ended">;
	/** Deletes the deliveries whose bodies contain a text. */
	eraseAbout(text: string): Promise<void>;
	/** Deletes everything. */
	erase(): Promise<void>;
}
