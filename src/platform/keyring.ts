// The deployment's root key, and the one before it while a rotation is under way. Everything sealed or signed names its root key.
import { deriveBytes, deriveKey, hmacHex, verifyHmacHex } from "./crypto.ts";

const KEY_ID_BYTES = 4;
/** Hex digits of a key id. */
export const KEY_ID_LENGTH = 2 * KEY_ID_BYTES;

export interface Keyring {
	/** `SECRETS_KEY`: base64 of at least 32 bytes. New values are sealed and signed with it. */
	readonly current: string;
	/** `SECRETS_KEY_PREVIOUS`: opens what was sealed and signed before the rotation. Null without one. */
	readonly previous: string | null;
}

/** By root key. Every signature and sealed value begins with one. */
const keyIds = new Map<string, string>();

/** Names a root key and says nothing about it: 8 hex digits. */
export async function keyIdOf(rootKey: string): Promise<string> {
	const known = keyIds.get(rootKey);
	if (known !== undefined) return known;
	const id = (await deriveBytes(rootKey, "key-id", KEY_ID_BYTES)).toHex();
	keyIds.set(rootKey, id);
	return id;
}

/** The root key with an id; null when it is neither the current one nor the previous one. */
export async function findKey({ current, previous }: Keyring, id: string): Promise<string | null> {
	if ((await keyIdOf(current)) === id) return current;
	return previous !== null && (await keyIdOf(previous)) === id ? previous : null;
}

/** HMAC of a text under a key for one purpose, in hex, with the id of the root key in front. */
export async function signText({ current }: Keyring, purpose: string, text: string): Promise<string> {
	return `${await keyIdOf(current)}${await hmacHex(await deriveKey(current, purpose, "hmac"), text)}`;
}

/** Whether {@link signText} made a signature with the current key or the previous one, in constant time. */
export async function isSignatureOf(keys: Keyring, { purpose, text }: { purpose: string; text: string }, signature: string) {
	const rootKey = await findKey(keys, signature.slice(0, KEY_ID_LENGTH).toLowerCase());
	if (rootKey === null) return false;
	return verifyHmacHex(await deriveKey(rootKey, purpose, "hmac"), text, signature.slice(KEY_ID_LENGTH));
}
