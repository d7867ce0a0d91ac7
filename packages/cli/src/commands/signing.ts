// Signs a delivery as the platform does, for `webhooks listen`.
import { createHmac, randomBytes } from "node:crypto";
import { usageError } from "../core/exit-codes.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Returns a random secret in the form that webhooks use. */
export function makeSecret(): string {
	return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Returns the secret. @throws CommandError for text that is not a webhook secret. */
export function assertSecret(secret: string): string {
	if (new RegExp(`^${PREFIX}[A-Za-z0-9+/]{16,}={0,2}$`).test(secret)) return secret;
	throw usageError("The secret must be whsec_ followed by base64.");
}

export interface Delivery {
	readonly id: string;
	readonly event: string;
	readonly eventId: string;
	readonly body: string;
	/** The time is in milliseconds since the epoch. */
	readonly now: number;
}

/** Returns the headers of a delivery: Standard Webhooks, and the platform's own. */
export function signedHeaders(secret: string, { id, event, eventId, body, now }: Delivery): Record<string, string> {
	const timestamp = String(Math.floor(now / 1000));
	const key = Buffer.from(secret.slice(PREFIX.length), "base64");
	return {
		"Content-Type": "application/json",
		"webhook-id": eventId,
		"webhook-timestamp": timestamp,
		"webhook-signature": `v1,${createHmac("sha256", key).update(`${eventId}.${timestamp}.${body}`).digest("base64")}`,
		"X-Svc-Event": event,
		"X-Svc-Delivery": id,
		"X-Svc-Signature": createHmac("sha256", secret).update(body).digest("hex"),
	};
}
