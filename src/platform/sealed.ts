import { deriveKey, fromBase64, randomBytes } from "./crypto.ts";

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
