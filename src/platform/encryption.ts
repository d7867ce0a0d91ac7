import { deriveKey, fromBase64, hmacHex, randomBytes } from "./crypto.ts";
import { findKey, KEY_ID_LENGTH, type Keyring, keyIdOf } from "./keyring.ts";

const IV_BYTES = 12;
const VERSION = "v1";

/** Returns the prefix of the values that a root key encrypts: the version of the format and the key's id. */
export async function encryptedPrefix(rootKey: string): Promise<string> {
	return `${VERSION}.${await keyIdOf(rootKey)}.`;
}

/** Returns the id of the root key that encrypted a value. */
export function keyIdOfEncrypted(encrypted: string): string {
	return encrypted.split(".")[1] ?? "";
}

/** Encrypts a secret with AES-256-GCM. Returns `v1.<key id>.<base64>`, in which the base64 is of a random IV and the ciphertext. */
export async function encrypt({ current }: Keyring, purpose: string, plaintext: string): Promise<string> {
	const iv = randomBytes(IV_BYTES);
	const key = await deriveKey(current, purpose, "aes");
	const ciphertext = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(plaintext)));
	return `${await encryptedPrefix(current)}${new Uint8Array([...iv, ...ciphertext]).toBase64()}`;
}

/**
 * Decrypts a value that {@link encrypt} returned for the same purpose, with the current or the previous key.
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
	/** What the token belongs to, such as a list. It cannot be decrypted with another value. */
	readonly about: string;
}

/**
 * Encrypts text, such as a cursor, into a token that a caller sends back later but can neither read nor change. Tokens are URL-safe. The IV
 * is derived from the text, so equal text becomes equal tokens, and responses that contain a token keep their ETag.
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

/** Decrypts a token that {@link encryptToken} returned for the same scope. Returns null for all other strings. */
export async function decryptToken(keys: Keyring, scope: TokenScope, token: string): Promise<string | null> {
	const rootKey = await findKey(keys, token.slice(0, KEY_ID_LENGTH));
	if (rootKey === null) return null;
	try {
		const bytes = Uint8Array.fromBase64(token.slice(KEY_ID_LENGTH), { alphabet: "base64url" });
		const key = await deriveKey(rootKey, scope.purpose, "aes");
		const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, IV_BYTES), additionalData: new TextEncoder().encode(scope.about) };
		const text = new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, bytes.subarray(IV_BYTES)));
		// Several base64 strings can decode to the same bytes. Only the one that `encryptToken` returns is accepted.
		return (await encryptTokenWith(rootKey, scope, text)) === token ? text : null;
	} catch {
		return null;
	}
}
