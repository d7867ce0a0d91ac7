// Checks the signature of a compact JWS with a key set. A spelling that differs in one character is rejected, even where base64url
// has several spellings for the same bytes.
import * as z from "zod";
import { RECEIPT_TYPE } from "../../src/domain/receipts.ts";
import type { KeySet } from "./schemas.ts";

/** Why something is not valid, in a sentence for people. */
export class VerificationFault extends Error {
	override readonly name = "VerificationFault";
}

const headerSchema = z.object({ alg: z.literal("EdDSA"), kid: z.string(), typ: z.literal(RECEIPT_TYPE), crit: z.undefined().optional() });

/**
 * The payload of a receipt, parsed as JSON.
 *
 * @throws VerificationFault when it was not signed by one of the keys.
 */
export async function readSigned(receipt: string, { keys }: KeySet): Promise<unknown> {
	const parts = receipt.split(".");
	const [head = "", body = "", end = ""] = parts;
	const [headerBytes, payload, signature] = [decode(head), decode(body), decode(end)];
	if (parts.length !== 3 || headerBytes === null || payload === null || signature === null) {
		throw new VerificationFault("The receipt is not a compact JWS.");
	}
	const header = headerSchema.safeParse(parseJson(headerBytes));
	if (!header.success)
		throw new VerificationFault(`The header of the receipt is not {"alg": "EdDSA", "kid": …, "typ": "${RECEIPT_TYPE}"}.`);
	const { kid } = header.data;
	const key = keys.find((listed) => listed.kid === kid);
	if (key === undefined) throw new VerificationFault(`The key set has no key ${kid}. Get a new copy of /.well-known/jwks.json.`);
	const isSigned = await crypto.subtle.verify("Ed25519", await importKey(key), signature, new TextEncoder().encode(`${head}.${body}`));
	if (!isSigned) throw new VerificationFault("The signature of the receipt is wrong: the receipt or the key was changed.");
	return parseJson(payload);
}

async function importKey({ kty, kid, crv, x }: KeySet["keys"][number]): Promise<CryptoKey> {
	const raw = decode(x ?? "");
	if (kty !== "OKP" || crv !== "Ed25519" || raw?.length !== 32) throw new VerificationFault(`The key ${kid} is not an Ed25519 key.`);
	// RFC 7638. A key under the name of another one would otherwise be found.
	const thumbprint = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify({ crv, kty, x })));
	if (encode(new Uint8Array(thumbprint)) !== kid)
		throw new VerificationFault(`The key ${kid} does not have the thumbprint that it is named by.`);
	return crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
}

/** The bytes of base64url; null for text that {@link encode} would not have written. */
function decode(text: string): Uint8Array | null {
	if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
	try {
		const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
		return encode(bytes) === text ? bytes : null;
	} catch {
		return null;
	}
}

function encode(bytes: Uint8Array): string {
	const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
	return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Null for what is not JSON in UTF-8. */
function parseJson(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
	} catch {
		return null;
	}
}
