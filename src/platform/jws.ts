// Creates compact JSON Web Signatures (RFC 7515) with Ed25519 (RFC 8037).
import { deriveBytes, fromHex } from "./crypto.ts";

/** A public Ed25519 key, as in a JSON Web Key Set. */
export interface PublicJwk {
	readonly kty: "OKP";
	readonly crv: "Ed25519";
	/** The key in base64url. */
	readonly x: string;
	/** The key's thumbprint (RFC 7638). */
	readonly kid: string;
	readonly use: "sig";
	readonly alg: "EdDSA";
}

export interface SigningKey {
	readonly publicJwk: PublicJwk;
	readonly privateKey: CryptoKey;
}

const SEED_BYTES = 32;
/** In PKCS #8, a private Ed25519 key is this prefix and the seed (RFC 8410). WebCrypto cannot import a seed without the prefix. */
const PKCS8_START = "302e020100300506032b657004220420";

/** Derives a key pair from the deployment's root key and a purpose. The same two always result in the same pair. */
export async function deriveSigningKey(rootKey: string, purpose: string): Promise<SigningKey> {
	const seed = await deriveBytes(rootKey, purpose, SEED_BYTES);
	const pkcs8 = new Uint8Array([...(fromHex(PKCS8_START) ?? []), ...seed]);
	const extractable = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
	const exported = await crypto.subtle.exportKey("jwk", extractable);
	if (exported instanceof ArrayBuffer || exported.x === undefined) throw new Error("The Ed25519 key has no public part.");
	const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
	return { publicJwk: await describePublicKey(exported.x), privateKey };
}

/** Returns the entry of a public key in a JSON Web Key Set. `x` is the key in base64url. */
export async function describePublicKey(x: string): Promise<PublicJwk> {
	// RFC 7638 requires the members in alphabetical order, without white space.
	const thumbprint = await crypto.subtle.digest("SHA-256", utf8(JSON.stringify({ crv: "Ed25519", kty: "OKP", x })));
	return { kty: "OKP", crv: "Ed25519", x, kid: toBase64Url(new Uint8Array(thumbprint)), use: "sig", alg: "EdDSA" };
}

/** Signs claims as a compact JWS. `typ` is the kind of token (RFC 8725, section 3.11). */
export async function signJws({ publicJwk, privateKey }: SigningKey, { typ, claims }: { typ: string; claims: object }): Promise<string> {
	const header = { alg: publicJwk.alg, kid: publicJwk.kid, typ };
	const signed = [header, claims].map((part) => toBase64Url(utf8(JSON.stringify(part)))).join(".");
	const signature = await crypto.subtle.sign("Ed25519", privateKey, utf8(signed));
	return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}

function utf8(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

function toBase64Url(bytes: Uint8Array): string {
	return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
