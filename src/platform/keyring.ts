// The deployment's root key and, during a rotation, the previous one. Encrypted and signed values contain the id of the root key with which
// they were made.
import { deriveBytes, deriveKey, hmacHex, verifyHmacHex } from "./crypto.ts";

const KEY_ID_BYTES = 4;
/** The number of hex digits in a key id. */
export const KEY_ID_LENGTH = 2 * KEY_ID_BYTES;

export interface Keyring {
	/** `SECRETS_KEY`: base64 of at least 32 bytes. It encrypts and signs all new values. */
	readonly current: string;
	/** `SECRETS_KEY_PREVIOUS`: decrypts and verifies values that were made before the rotation. Null if it is not set. */
	readonly previous: string | null;
}

/** The ids of root keys, keyed by root key. They are cached, because every signature and every encrypted value contains one. */
const keyIds = new Map<string, string>();

/** Returns 8 hex digits that identify a root key and reveal nothing about it. */
export async function keyIdOf(rootKey: string): Promise<string> {
	const cachedId = keyIds.get(rootKey);
	if (cachedId !== undefined) return cachedId;
	const id = (await deriveBytes(rootKey, "key-id", KEY_ID_BYTES)).toHex();
	keyIds.set(rootKey, id);
	return id;
}

/** Returns the root key with this id, or null if neither the current nor the previous one has it. */
export async function findKey({ current, previous }: Keyring, id: string): Promise<string | null> {
	if ((await keyIdOf(current)) === id) return current;
	return previous !== null && (await keyIdOf(previous)) === id ? previous : null;
}

/** Signs a string for one purpose with the current key. Returns the key's id followed by the HMAC in hex. */
export async function signText({ current }: Keyring, purpose: string, text: string): Promise<string> {
	return `${await keyIdOf(current)}${await hmacHex(await deriveKey(current, purpose, "hmac"), text)}`;
}

/** Returns true if {@link signText} made this signature with the current or the previous key. Compares in constant time. */
export async function isSignatureOf(keys: Keyring, { purpose, text }: { purpose: string; text: string }, signature: string) {
	const rootKey = await findKey(keys, signature.slice(0, KEY_ID_LENGTH).toLowerCase());
	if (rootKey === null) return false;
	return verifyHmacHex(await deriveKey(rootKey, purpose, "hmac"), text, signature.slice(KEY_ID_LENGTH));
}
