// Tests the ID tokens with which an OpenID Connect issuer says who has signed in.
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { expect, it } from "vitest";
import { createApp } from "../support/app.ts";
import { testDeps } from "../support/deps.ts";
import { countHumans } from "../support/directory.ts";
import { manualClock } from "../support/manual-clock.ts";
import { createTokenIssuer } from "../support/token-issuer.ts";

const CLIENT_ID = "bounty-platform";
const issuer = await createTokenIssuer("https://accounts.test");
const { privateKey: foreignKey } = await generateKeyPair("ES256");

/** The issuer sends this token to each caller that shows it a code. */
let idToken = "";

const DOCUMENTS: Readonly<Record<string, () => unknown>> = {
	[`${issuer.url}/.well-known/openid-configuration`]: () => ({
		issuer: issuer.url,
		authorization_endpoint: `${issuer.url}/authorize`,
		token_endpoint: `${issuer.url}/token`,
		jwks_uri: `${issuer.url}/keys`,
		id_token_signing_alg_values_supported: ["ES256"],
	}),
	[`${issuer.url}/token`]: () => ({ access_token: "opaque", token_type: "bearer", id_token: idToken }),
};

/** Whenever the platform exchanges a code, its form is added here. */
const exchanges: URLSearchParams[] = [];
const clock = manualClock();

const app = createApp(() => {
	const real = testDeps();
	const oidc = { clientId: CLIENT_ID, clientSecret: "only-for-tests", issuer: issuer.url, name: "Company account" };
	return testDeps({
		clock,
		config: { ...real.config, signIn: { github: null, oidc } },
		fetch: async (target, init) => {
			const document = DOCUMENTS[target];
			if (target === `${issuer.url}/token`) exchanges.push(new URLSearchParams(String(init?.body)));
			return document === undefined ? issuer.fetch(target, init) : Response.json(document());
		},
	});
});

/** Begins a sign-in, and returns what was sent to the issuer and the cookie that the browser keeps. */
async function begin() {
	const started = await app.fetch(new Request("https://bounty.test/api/auth/sign-in/oidc"));
	const { searchParams } = new URL(started.headers.get("Location") ?? "");
	return { searchParams, cookie: started.headers.get("Set-Cookie")?.split(";")[0] ?? "" };
}

/** Signs in as a browser does. The issuer sends the token that `make` returns for the claims of an honest one. */
async function signIn(
	make: (claims: JWTPayload) => string | Promise<string>,
	{ searchParams, cookie }: Awaited<ReturnType<typeof begin>>,
): Promise<Response> {
	const seconds = Math.floor(Date.now() / 1000);
	const times = { iat: seconds, exp: seconds + 300 };
	idToken = await make({ iss: issuer.url, aud: CLIENT_ID, sub: "ada", name: "Ada", nonce: searchParams.get("nonce"), ...times });
	const back = new URL(searchParams.get("redirect_uri") ?? "");
	back.searchParams.set("code", "a-code");
	back.searchParams.set("state", searchParams.get("state") ?? "");
	return app.fetch(new Request(back, { headers: { Cookie: cookie } }));
}

const asIdToken = { typ: "JWT" };

const FORGED: Readonly<Record<string, (claims: JWTPayload) => string | Promise<string>>> = {
	"for another client": (claims) => issuer.sign({ ...claims, aud: "another-client" }, asIdToken),
	"of another issuer": (claims) => issuer.sign({ ...claims, iss: "https://evil.test" }, asIdToken),
	"that has expired": (claims) => issuer.sign({ ...claims, exp: (claims.iat ?? 0) - 120 }, asIdToken),
	"without an end": ({ exp: _, ...claims }) => issuer.sign(claims, asIdToken),
	"without a subject": ({ sub: _, ...claims }) => issuer.sign(claims, asIdToken),
	"without a nonce": ({ nonce: _, ...claims }) => issuer.sign(claims, asIdToken),
	"with the nonce of another sign-in": (claims) => issuer.sign({ ...claims, nonce: "0".repeat(64) }, asIdToken),
	"for several clients, and issued to another one": (claims) =>
		issuer.sign({ ...claims, aud: [CLIENT_ID, "another-client"], azp: "another-client" }, asIdToken),
	"signed by another key": (claims) =>
		new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ: "JWT", kid: "current" }).sign(foreignKey),
	"without a signature": (claims) => new UnsecuredJWT(claims).encode(),
	"signed with the public key as a secret": (claims) =>
		new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT", kid: "current" }).sign(new TextEncoder().encode(issuer.publicKey)),
	"with another subject than the one that was signed": async (claims) => {
		const [, changed] = (await issuer.sign({ ...claims, sub: "eve" }, asIdToken)).split(".");
		return (await issuer.sign(claims, asIdToken)).replace(/\..*\./, `.${changed}.`);
	},
};

it("an ID token signs its subject in, and a forged one is rejected", async () => {
	for (const [name, make] of Object.entries(FORGED)) {
		const { status, headers } = await signIn(make, await begin());
		expect({ name, status, cookies: headers.getSetCookie().filter((cookie) => cookie.startsWith("__Host-session=")) }).toEqual({
			name,
			status: 400,
			cookies: [],
		});
	}
	expect(await countHumans(issuer.url)).toBe(0);
	const honest = await signIn((claims) => issuer.sign(claims, asIdToken), await begin());
	expect(honest.status).toBe(302);
	expect(honest.headers.getSetCookie().some((cookie) => cookie.startsWith("__Host-session="))).toBe(true);
	expect(await countHumans(issuer.url, "ada")).toBe(1);
});

it("a code is exchanged with the verifier of the challenge that was sent, only for the state of this browser, and within ten minutes", async () => {
	const honest = (claims: JWTPayload) => issuer.sign(claims, asIdToken);
	const [attempt, other] = [await begin(), await begin()];
	exchanges.length = 0;
	expect((await signIn(honest, { ...attempt, cookie: other.cookie })).status).toBe(400);
	expect((await signIn(honest, { ...attempt, cookie: "" })).status).toBe(400);
	expect(exchanges).toEqual([]);

	expect((await signIn(honest, attempt)).status).toBe(302);
	const verifier = new TextEncoder().encode(exchanges[0]?.get("code_verifier") ?? "");
	const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier));
	expect(digest.toBase64({ alphabet: "base64url", omitPadding: true })).toBe(attempt.searchParams.get("code_challenge"));

	const late = await begin();
	clock.advance(10 * 60_000);
	expect((await signIn(honest, late)).status).toBe(400);
	expect(exchanges).toHaveLength(1);
});
