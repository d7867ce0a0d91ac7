import { deriveKey, randomBytes } from "./crypto.ts";

const IV_BYTES = 12;

/** Encrypts a secret that must be read again later (AES-256-GCM, random IV in front), as base64. */
export async function seal(rootKey: string, purpose: string, plaintext: string): Promise<string> {
	const iv = randomBytes(IV_BYTES);
	const key = await deriveKey(rootKey, purpose, "aes");
	const ciphertext = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(plaintext)));
	return btoa(String.fromCharCode(...iv, ...ciphertext));
}
