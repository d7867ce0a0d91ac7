const encoder = new TextEncoder();

/** Returns cryptographically strong random bytes. */
export function randomBytes(length: number): Uint8Array {
	return crypto.getRandomValues(new Uint8Array(length));
}

/** Returns `length` random bytes in lower-case hex. */
export function randomHex(length: number): string {
	return randomBytes(length).toHex();
}

/** Returns a random number from 0 up to but not including 1. It is predictable, so use it only to spread times. */
export function randomFraction(): number {
	return Math.random();
}

/** Returns the SHA-256 of bytes, or of a string as UTF-8, in lower-case hex. */
export async function sha256Hex(data: Uint8Array | string): Promise<string> {
	const bytes = typeof data === "string" ? encoder.encode(data) : data;
	return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

const DERIVED_KEYS = {
	hmac: { algorithm: { name: "HMAC", hash: "SHA-256", length: 256 }, usages: ["sign", "verify"] },
	aes: { algorithm: { name: "AES-GCM", length: 256 }, usages: ["encrypt", "decrypt"] },
} as const;

/**
 * Derived keys are cached, keyed by root key, purpose and kind, because deriving a key takes longer than using it. A deployment has only a
 * few.
 */
const derivedKeys = new Map<string, CryptoKey>();

/**
 * Derives a key for one purpose from the deployment's root key, so that no two uses share a key.
 *
 * @param rootKey `SECRETS_KEY`: base64 of at least 32 bytes.
 */
export async function deriveKey(rootKey: string, purpose: string, kind: keyof typeof DERIVED_KEYS): Promise<CryptoKey> {
	const name = JSON.stringify([rootKey, purpose, kind]);
	const cachedKey = derivedKeys.get(name);
	if (cachedKey !== undefined) return cachedKey;
	const root = await crypto.subtle.importKey("raw", fromBase64(rootKey), "HKDF", false, ["deriveKey"]);
	const params = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(purpose) };
	const { algorithm, usages } = DERIVED_KEYS[kind];
	const key = await crypto.subtle.deriveKey(params, root, algorithm, false, [...usages]);
	derivedKeys.set(name, key);
	return key;
}

/** Derives `length` bytes in the same way as {@link deriveKey}, for keys that WebCrypto cannot derive. */
export async function deriveBytes(rootKey: string, purpose: string, length: number): Promise<Uint8Array> {
	const root = await crypto.subtle.importKey("raw", fromBase64(rootKey), "HKDF", false, ["deriveBits"]);
	const params = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(purpose) };
	return new Uint8Array(await crypto.subtle.deriveBits(params, root, 8 * length));
}

/** Returns the HMAC-SHA-256 of a string as UTF-8, in lower-case hex. */
export async function hmacHex(key: CryptoKey, message: string): Promise<string> {
	return new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(message))).toHex();
}

/** Returns true if `hex` is the {@link hmacHex} of the message. Compares in constant time. */
export async function verifyHmacHex(key: CryptoKey, message: string, hex: string): Promise<boolean> {
	const signature = fromHex(hex);
	return signature !== null && crypto.subtle.verify("HMAC", key, signature, encoder.encode(message));
}

/**
 * Returns true if a secret has the expected hash. Compares in constant time.
 *
 * @param expectedHash The SHA-256 of the expected secret in hex. Null matches nothing.
 */
export async function equalSecrets(presented: string, expectedHash: string | null): Promise<boolean> {
	const expected = fromHex(expectedHash ?? "");
	const actual = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(presented)));
	return expected !== null && expected.byteLength === actual.byteLength && crypto.subtle.timingSafeEqual(actual, expected);
}

/** Decodes hex in upper or lower case. Returns null for anything else, and for an empty string. */
export function fromHex(text: string): Uint8Array | null {
	return /^([0-9a-fA-F]{2})+$/.test(text) ? Uint8Array.fromHex(text) : null;
}

/** Decodes standard base64. Throws on anything else. */
export function fromBase64(text: string): Uint8Array {
	return Uint8Array.fromBase64(text);
}
