// Checks the signature of a compact JWS with a key set.
// Rejects a spelling that differs in one character, even where base64url has several spellings for the same bytes.
import * as z from "zod/mini";
import { RECEIPT_TYPE } from "../../../../src/domain/receipts.ts";
import { VerificationError } from "../core/errors.ts";
import type { KeySet } from "./claims.ts";

/** A header with extensions (`crit`) would require checks that this code lacks. */
const headerSchema = () =>
	z.object({
		alg: z.literal("EdDSA"),
		kid: z.string(),
		typ: z.literal(RECEIPT_TYPE),
		crit: z.optional(z.never()),
	});

const issuedSchema = () => z.object({ iat: z.number() });

/**
 * Returns the payload of a receipt, parsed as JSON.
 *
 * @internal
 * @throws VerificationError if none of the keys has signed it.
 */
export async function readSigned(receipt: string, { keys }: KeySet): Promise<unknown> {
	const parts = receipt.split(".");
	const [head = "", body = "", end = ""] = parts;
	const [headerBytes, payload, signature] = [decode(head), decode(body), decode(end)];
	if (parts.length !== 3 || headerBytes === null || payload === null || signature === null) {
		throw new VerificationError("The receipt is not a compact JWS.");
	}
	const header = headerSchema().safeParse(parseJson(headerBytes));
	if (!header.success)
		throw new VerificationError(`The header of the receipt is not {"alg": "EdDSA", "kid": …, "typ": "${RECEIPT_TYPE}"}.`);
	const { kid } = header.data;
	const key = keys.find((listed) => listed.kid === kid);
	if (key === undefined) throw new VerificationError(`The key set has no key ${kid}. Get a new copy of /.well-known/jwks.json.`);
	const isSigned = await crypto.subtle.verify("Ed25519", await importKey(key), signature, new TextEncoder().encode(`${head}.${body}`));
	if (!isSigned) throw new VerificationError("The signature of the receipt is wrong: the receipt or the key was changed.");
	const claims = parseJson(payload);
	assertInUse(key, issuedSchema().safeParse(claims).data?.iat ?? Number.NaN);
	return claims;
}

/**
 * Checks that the key was in use when the receipt was issued, so that a leaked key cannot sign receipts for another time. A receipt without
 * a time (`NaN`) is rejected if the key has limits.
 */
function assertInUse({ kid, nbf, exp }: KeySet["keys"][number], iat: number): void {
	if (exp !== undefined && !(iat <= exp)) throw new VerificationError(`The key ${kid} was retired before the receipt was issued.`);
	if (nbf !== undefined && !(iat >= nbf)) throw new VerificationError(`The receipt was issued before the key ${kid} was in use.`);
}

async function importKey({ kty, kid, crv, x }: KeySet["keys"][number]): Promise<CryptoKey> {
	const raw = decode(x ?? "");
	if (kty !== "OKP" || crv !== "Ed25519" || raw?.length !== 32) throw new VerificationError(`The key ${kid} is not an Ed25519 key.`);
	// The thumbprint of RFC 7638. Without this check, a key could have another key's name.
	const thumbprint = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify({ crv, kty, x })));
	if (encode(new Uint8Array(thumbprint)) !== kid) throw new VerificationError(`The id of the key ${kid} is not the thumbprint of the key.`);
	return crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
}

/** Returns the bytes of base64url, or null for text that {@link encode} would not have written. */
function decode(encoded: string): Uint8Array<ArrayBuffer> | null {
	if (!/^[A-Za-z0-9_-]+$/.test(encoded)) return null;
	try {
		const bytes = Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
		return encode(bytes) === encoded ? bytes : null;
	} catch {
		return null;
	}
}

function encode(bytes: Uint8Array): string {
	const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
	return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Parses JSON. Returns null for bytes that are not JSON in UTF-8. */
function parseJson(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
	} catch {
		return null;
	}
}
