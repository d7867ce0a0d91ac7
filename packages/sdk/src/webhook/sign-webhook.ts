import { decodeSecret } from "./verify-webhook.ts";

export interface SignOptions {
	readonly secret: string;
	/** The event's id: `test` by default. */
	readonly id?: string | undefined;
	/** The time of the delivery: now by default. */
	readonly at?: Date | undefined;
}

/**
 * Returns the headers of a delivery as the platform signs it, for tests of a receiver.
 *
 * @throws BountyUsageError for an invalid secret.
 */
export async function signWebhook(body: string, { secret, id = "test", at = new Date() }: SignOptions): Promise<Record<string, string>> {
	const timestamp = String(Math.floor(at.getTime() / 1000));
	const standard = await sign(decodeSecret(secret), `${id}.${timestamp}.${body}`);
	const svc = await sign(new Uint8Array(new TextEncoder().encode(secret)), body);
	return {
		"content-type": "application/json",
		"webhook-id": id,
		"webhook-timestamp": timestamp,
		"webhook-signature": `v1,${btoa(String.fromCharCode(...standard))}`,
		"x-svc-signature": Array.from(svc, (byte) => byte.toString(16).padStart(2, "0")).join(""),
	};
}

async function sign(secret: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
	const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
	return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)));
}
