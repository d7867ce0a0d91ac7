import { deriveKey, fromBase64, hmacHex, randomBytes } from "./crypto.ts";

const IV_BYTES = 12;

/** Encrypts a secret that must be read again later (AES-256-GCM, random IV in front), as base64. */
export async function seal(rootKey: string, purpose: string, plaintext: string): Promise<string> {
	const iv = randomBytes(IV_BYTES);
	const key = await deriveKey(rootKey, purpose, "aes");
	const ciphertext = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(plaintext)));
	return new Uint8Array([...iv, ...ciphertext]).toBase64();
}

/**
 * Decrypts what {@link seal} made with the same key and purpose.
 *
 * @throws Error when it was made with another key or has been changed.
 */
export async function unseal(rootKey: string, purpose: string, sealed: string): Promise<string> {
	const bytes = fromBase64(sealed);
	const key = await deriveKey(rootKey, purpose, "aes");
	const plaintext = await crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes.subarray(0, IV_BYTES) }, key, bytes.subarray(IV_BYTES));
	return new TextDecoder().decode(plaintext);
}

interface TokenScope {
	/** What kind of token it is, so that no two kinds share a key. */
	readonly purpose: string;
	/** What the token belongs to. It opens with nothing else. */
	readonly about: string;
}

/**
 * Encrypts text that a caller keeps and sends back, such as a cursor, in the alphabet of URLs. The caller can neither read nor change it.
 * The same text gives the same token, so that responses with it keep their ETag: the IV comes from the text itself.
 */
export async function sealToken(rootKey: string, { purpose, about }: TokenScope, text: string): Promise<string> {
	const ivKey = await deriveKey(rootKey, `${purpose}/iv`, "hmac");
	const iv = Uint8Array.fromHex(await hmacHex(ivKey, JSON.stringify([about, text]))).subarray(0, IV_BYTES);
	const key = await deriveKey(rootKey, purpose, "aes");
	const algorithm = { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(about) };
	const ciphertext = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(text)));
	return new Uint8Array([...iv, ...ciphertext]).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Reads what {@link sealToken} made for the same scope; null for anything else. */
export async function unsealToken(rootKey: string, { purpose, about }: TokenScope, token: string): Promise<string | null> {
	try {
		const bytes = Uint8Array.fromBase64(token, { alphabet: "base64url" });
		const key = await deriveKey(rootKey, purpose, "aes");
		const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, IV_BYTES), additionalData: new TextEncoder().encode(about) };
		const text = new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, bytes.subarray(IV_BYTES)));
		// Two spellings in base64 can be the same bytes. Only our own is accepted.
		return (await sealToken(rootKey, { purpose, about }, text)) === token ? text : null;
	} catch {
		return null;
	}
}
