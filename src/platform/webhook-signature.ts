import { fromBase64 } from "./crypto.ts";

const encoder = new TextEncoder();
const STANDARD_SECRET_PREFIX = "whsec_";

/**
 * Returns the signature headers of an outgoing message. `X-Svc-Signature` is the HMAC-SHA-256 of the body with the whole secret, in hex.
 * The three headers that begin with `webhook-` follow Standard Webhooks. A previous secret adds `X-Svc-Signature-Previous`, and a second
 * signature in `webhook-signature`.
 */
export async function signMessage(message: {
	/** The event's id, sent as `webhook-id`. It is the same in every attempt. */
	readonly id: string;
	/** When the attempt is made, in milliseconds since the epoch. */
	readonly now: number;
	/** The body, exactly as it is sent. */
	readonly body: string;
	/** The secret. After `whsec_`, it is the key of Standard Webhooks in base64. Without this prefix, it is the key itself, as UTF-8. */
	readonly secret: string;
	/** The secret before a recent rotation, with which the message is signed too. Null or undefined if there is none. */
	readonly previousSecret?: string | null;
}): Promise<Record<string, string>> {
	const timestamp = String(Math.floor(message.now / 1000));
	const secrets = message.previousSecret == null ? [message.secret] : [message.secret, message.previousSecret];
	const content = `${message.id}.${timestamp}.${message.body}`;
	const [plain, standard] = await Promise.all([
		Promise.all(secrets.map(async (secret) => (await hmac(encoder.encode(secret), message.body)).toHex())),
		Promise.all(secrets.map(async (secret) => `v1,${(await hmac(standardKeyOf(secret), content)).toBase64()}`)),
	]);
	const [current = "", previous] = plain;
	return {
		"X-Svc-Signature": current,
		...(previous === undefined ? {} : { "X-Svc-Signature-Previous": previous }),
		"webhook-id": message.id,
		"webhook-timestamp": timestamp,
		"webhook-signature": standard.join(" "),
	};
}

function standardKeyOf(secret: string): Uint8Array {
	return secret.startsWith(STANDARD_SECRET_PREFIX) ? fromBase64(secret.slice(STANDARD_SECRET_PREFIX.length)) : encoder.encode(secret);
}

async function hmac(key: Uint8Array, text: string): Promise<Uint8Array> {
	const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
	return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text)));
}
