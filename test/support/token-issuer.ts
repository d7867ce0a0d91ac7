// Imitates an OpenID Connect issuer by its two documents, and signs access tokens for a test.
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import type { Fetch } from "../../src/ports/deps.ts";

export interface TokenIssuer {
	readonly url: string;
	/** The requests that the platform has sent. */
	readonly requests: string[];
	/** Responds instead of the documents. Null while the issuer works. */
	fault: (() => Promise<Response>) | null;
	readonly fetch: Fetch;
	/** The public key as text, which anyone can read. */
	readonly publicKey: string;
	/** Returns a token that the issuer's key has signed. */
	sign(claims: JWTPayload, header?: Readonly<Record<string, string | undefined>>): Promise<string>;
}

export async function createTokenIssuer(url: string): Promise<TokenIssuer> {
	const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
	const keys = [{ ...(await exportJWK(publicKey)), kid: "current", alg: "ES256", use: "sig" }];
	const documents: Readonly<Record<string, unknown>> = {
		[`${url}/.well-known/openid-configuration`]: { issuer: url, jwks_uri: `${url}/keys` },
		[`${url}/keys`]: { keys },
	};
	const issuer: TokenIssuer = {
		url,
		requests: [],
		fault: null,
		async fetch(target) {
			issuer.requests.push(target);
			return issuer.fault === null ? Response.json(documents[target]) : issuer.fault();
		},
		publicKey: await exportSPKI(publicKey),
		sign: (claims, header = {}) =>
			new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "current", ...header }).sign(privateKey),
	};
	return issuer;
}
