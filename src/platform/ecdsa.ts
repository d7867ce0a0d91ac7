import { fromBase64 } from "./crypto.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;
const NUMBER_BYTES = 32;
const [SEQUENCE, INTEGER] = [0x30, 0x02];

/** A public key of P-256 as PEM (SPKI); null for anything else. */
export async function importPublicKey(pem: string): Promise<CryptoKey | null> {
	const base64 = /^-----BEGIN PUBLIC KEY-----([\sA-Za-z0-9+/=]+)-----END PUBLIC KEY-----\s*$/.exec(pem)?.[1];
	if (base64 === undefined) return null;
	try {
		return await crypto.subtle.importKey("spki", fromBase64(base64.replace(/\s/g, "")), ALGORITHM, false, ["verify"]);
	} catch {
		return null;
	}
}

/** Whether a signature in ASN.1 DER, as base64, is one over the SHA-256 of these bytes. */
export async function isEcdsaSignature(key: CryptoKey, signature: string, data: Uint8Array): Promise<boolean> {
	const raw = toRawSignature(signature);
	return raw !== null && crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, raw, data);
}

/** The two numbers of a DER signature, 32 bytes each, as WebCrypto wants them; null for anything else. */
function toRawSignature(base64: string): Uint8Array | null {
	let der: Uint8Array;
	try {
		der = fromBase64(base64);
	} catch {
		return null;
	}
	const [r, afterR] = readNumber(der, 2);
	const [s, end] = readNumber(der, afterR);
	const isWhole = der[0] === SEQUENCE && der[1] === der.length - 2 && end === der.length;
	if (r === null || s === null || !isWhole) return null;
	const raw = new Uint8Array(2 * NUMBER_BYTES);
	raw.set(r, NUMBER_BYTES - r.length);
	raw.set(s, 2 * NUMBER_BYTES - s.length);
	return raw;
}

/** A positive number of at most 32 bytes, without the zero that keeps its sign, and where it ends. */
function readNumber(der: Uint8Array, at: number): [Uint8Array | null, number] {
	const length = der[at + 1] ?? 0;
	const end = at + 2 + length;
	if (der[at] !== INTEGER || length === 0 || end > der.length) return [null, der.length];
	const bytes = der.subarray(at + 2, end);
	const digits = bytes[0] === 0 ? bytes.subarray(1) : bytes;
	return [digits.length > NUMBER_BYTES ? null : digits, end];
}
