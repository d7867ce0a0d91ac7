import { deriveKey, fromBase64, hmacHex, randomBytes } from "./crypto.ts";
import { findKey, KEY_ID_LENGTH, type Keyring, keyIdOf } from "./keyring.ts";

const IV_BYTES = 12;
const VERSION = "v1";

/** Returns the prefix of encrypted values, which contains the format and the id of the root key. */
export async function encryptedPrefix(rootKey: string): Promise<string> {
	return `${VERSION}.${await keyIdOf(rootKey)}.`;
}

/** Returns the id of the root key that encrypted a value. */
export function keyIdOfEncrypted(encrypted: string): string {
	return encrypted.split(".")[1] ?? "";
}

/** Encrypts a secret that must be read again later, as `v1.<key id>.<base64>` (AES-256-GCM, prefixed with a random IV). */
export async function encrypt({ current }: Keyring, purpose: string, plaintext: string): Promise<string> {
	const iv = randomBytes(IV_BYTES);
	const key = await deriveKey(current, purpose, "aes");
	const ciphertext = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(plaintext)));
	return `${await encryptedPrefix(current)}${new Uint8Array([...iv, ...ciphertext]).toBase64()}`;
}

/**
 * Decrypts a value from {@link encrypt} with the current or the previous key for the same purpose.
 *
 * @throws Error if another key encrypted the value, or if the value was changed.
 */
export async function decrypt(keys: Keyring, purpose: string, encrypted: string): Promise<string> {
	const [version, keyId = "", text = ""] = encrypted.split(".");
	const rootKey = version === VERSION ? await findKey(keys, keyId) : null;
	if (rootKey === null) throw new Error("A secret is encrypted with a key that is neither SECRETS_KEY nor SECRETS_KEY_PREVIOUS.");
	const bytes = fromBase64(text);
	const key = await deriveKey(rootKey, purpose, "aes");
	const plaintext = await crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes.subarray(0, IV_BYTES) }, key, bytes.subarray(IV_BYTES));
	return new TextDecoder().decode(plaintext);
}

/** Re-encrypts a secret with the current key. Returns null if that key has already encrypted it. */
export async function reencrypt(keys: Keyring, purpose: string, encrypted: string): Promise<string | null> {
	if (encrypted.startsWith(await encryptedPrefix(keys.current))) return null;
	return encrypt(keys, purpose, await decrypt(keys, purpose, encrypted));
}

export interface TokenScope {
	/** The kind of token. Each kind has its own purpose, so that no two kinds share a key. */
	readonly purpose: string;
	/** What the token belongs to. Only the same scope can decrypt it. */
	readonly about: string;
}

/**
 * Encrypts text that a caller keeps and sends back, such as a cursor, in a URL-safe alphabet. The caller can neither read nor change it.
 * The IV is derived from the text, so the same text always becomes the same token, and responses that contain it keep their ETag.
 */
export async function encryptToken({ current }: Keyring, scope: TokenScope, text: string): Promise<string> {
	return encryptTokenWith(current, scope, text);
}

async function encryptTokenWith(rootKey: string, { purpose, about }: TokenScope, text: string): Promise<string> {
	const ivKey = await deriveKey(rootKey, `${purpose}/iv`, "hmac");
	const iv = Uint8Array.fromHex(await hmacHex(ivKey, JSON.stringify([about, text]))).subarray(0, IV_BYTES);
	const key = await deriveKey(rootKey, purpose, "aes");
	const algorithm = { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(about) };
	const ciphertext = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(text)));
	const token = new Uint8Array([...iv, ...ciphertext]).toBase64({ alphabet: "base64url", omitPadding: true });
	return `${await keyIdOf(rootKey)}${token}`;
}

/** Decrypts a token from {@link encryptToken} for the same scope with the current or the previous key. Returns null for anything else. */
export async function decryptToken(keys: Keyring, scope: TokenScope, token: string): Promise<string | null> {
	const rootKey = await findKey(keys, token.slice(0, KEY_ID_LENGTH));
	if (rootKey === null) return null;
	try {
		const bytes = Uint8Array.fromBase64(token.slice(KEY_ID_LENGTH), { alphabet: "base64url" });
		const key = await deriveKey(rootKey, scope.purpose, "aes");
		const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, IV_BYTES), additionalData: new TextEncoder().encode(scope.about) };
		const text = new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, bytes.subarray(IV_BYTES)));
		// Only the spelling that {@link encryptToken} writes is accepted, because several base64 spellings can decode to the same bytes.
		return (await encryptTokenWith(rootKey, scope, text)) === token ? text : null;
	} catch {
		return null;
	}
}
