import { BountyError, BountyUsageError } from "../core/errors.ts";
import type { WebhookEvent } from "../core/events.ts";
import { isRecord, trustDocument } from "../core/json.ts";

/** A delivery that was not signed with the secret, or that is too old. */
export class WebhookVerificationError extends BountyError {
	override readonly name = "WebhookVerificationError";
}

/** Headers of `fetch`, or of Node's `http`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
	/**
	 * `standard` checks `webhook-signature` (Standard Webhooks), and so rejects old deliveries that someone sends again.
	 * `svc` checks `X-Svc-Signature`, which covers the body only.
	 */
	readonly scheme?: "standard" | "svc" | undefined;
	/** The maximum difference in seconds between the delivery's time and now: 300 by default. Only for `standard`. */
	readonly toleranceSeconds?: number | undefined;
}

const SECRET_PREFIX = "whsec_";
const TOLERANCE_SECONDS = 300;

/**
 * Checks the signature of a delivery and returns its event. Pass the body as received: parsing and printing JSON changes its bytes.
 *
 * @param options The webhook's secret, `whsec_...`, or an object with it and other options.
 * After a rotation both the new and the old one work for 24 hours.
 * @throws WebhookVerificationError when the delivery is not genuine, BountyUsageError for a secret that is not one.
 */
export async function verifyWebhook(
	headers: WebhookHeaders,
	body: string | Uint8Array | ArrayBuffer,
	options: string | (WebhookOptions & { readonly secret: string }),
): Promise<WebhookEvent> {
	const { secret, scheme = "standard", toleranceSeconds = TOLERANCE_SECONDS } = typeof options === "string" ? { secret: options } : options;
	const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
	const isGenuine =
		scheme === "standard" ? await verifyStandard(headers, bytes, { secret, toleranceSeconds }) : await verifySvc(headers, bytes, secret);
	if (!isGenuine) throw new WebhookVerificationError("No signature of the delivery was made with this secret.");
	const event = parseJson(bytes);
	if (!isRecord(event) || typeof event["event"] !== "string")
		throw new WebhookVerificationError("The body of the delivery is not an event.");
	return trustDocument<WebhookEvent>(event);
}

async function verifyStandard(
	headers: WebhookHeaders,
	body: Uint8Array,
	{ secret, toleranceSeconds }: { secret: string; toleranceSeconds: number },
): Promise<boolean> {
	const id = requireHeader(headers, "webhook-id");
	const timestamp = requireHeader(headers, "webhook-timestamp");
	const signatures = requireHeader(headers, "webhook-signature");
	const isRecent = /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds;
	if (!isRecent)
		throw new WebhookVerificationError(`The delivery's timestamp is more than ${toleranceSeconds} s off. Check this machine's clock.`);
	const key = await importKey(decodeSecret(secret));
	const prefix = new TextEncoder().encode(`${id}.${timestamp}.`);
	const signed = new Uint8Array(prefix.length + body.length);
	signed.set(prefix);
	signed.set(body, prefix.length);
	const given = signatures.split(" ").flatMap((each) => (each.startsWith("v1,") ? [decodeBase64(each.slice(3))] : []));
	return isOneGenuine(key, given, signed);
}

async function verifySvc(headers: WebhookHeaders, body: Uint8Array, secret: string): Promise<boolean> {
	const signatures = [requireHeader(headers, "x-svc-signature"), readHeader(headers, "x-svc-signature-previous") ?? ""];
	const key = await importKey(new Uint8Array(new TextEncoder().encode(secret)));
	return isOneGenuine(key, signatures.map(decodeHex), new Uint8Array(body));
}

/** Returns true if one signature is valid. `crypto.subtle.verify` compares in constant time. */
async function isOneGenuine(
	key: CryptoKey,
	given: readonly (Uint8Array<ArrayBuffer> | null)[],
	signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
	for (const signature of given) if (signature !== null && (await crypto.subtle.verify("HMAC", key, signature, signed))) return true;
	return false;
}

/**
 * Decodes a secret in the form of Standard Webhooks.
 *
 * @internal
 * @throws BountyUsageError for an invalid secret.
 */
export function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
	const bytes = decodeBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
	if (bytes === null || bytes.length === 0) throw new BountyUsageError("The secret must be the webhook's secret, whsec_...");
	return bytes;
}

function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
	if (bytes.length === 0) throw new BountyUsageError("The secret must be the webhook's secret, whsec_...");
	return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function readHeader(headers: WebhookHeaders, name: string): string | undefined {
	if (headers instanceof Headers) return headers.get(name) ?? undefined;
	const value = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
	return typeof value === "string" ? value : value?.join(" ");
}

function requireHeader(headers: WebhookHeaders, name: string): string {
	const value = readHeader(headers, name);
	if (value !== undefined && value !== "") return value;
	throw new WebhookVerificationError(`The delivery has no header ${name}.`);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
	try {
		return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
	} catch {
		return null;
	}
}

function decodeHex(text: string): Uint8Array<ArrayBuffer> | null {
	if (!/^([0-9a-f]{2})+$/i.test(text)) return null;
	return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function parseJson(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
	} catch {
		return null;
	}
}
