// MCP clients send OAuth access tokens of the OpenID Connect issuer. They are JWTs of RFC 9068, checked with the issuer's public keys.
import {
	createLocalJWKSet,
	createRemoteJWKSet,
	customFetch,
	errors,
	type JSONWebKeySet,
	type JWKSCacheInput,
	type JWTPayload,
	type JWTVerifyOptions,
	jwksCache,
	jwtVerify,
} from "jose";
import * as oauth from "oauth4webapi";
import * as z from "zod";
import type { Config } from "../../../config/env.ts";
import type { Actor } from "../../../domain/actor.ts";
import { AppError } from "../../../domain/errors.ts";
import { isJsonText } from "../../../domain/strict-json.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import { exchange } from "../../../platform/outbound.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { Account } from "./provider.ts";
import { chooseDisplayName } from "./rules.ts";
import { findActorByAccount } from "./service.ts";

/** Tokens of issuers are shorter than this, and a text of this length can be parsed for every request. */
const MAX_TOKEN_CHARACTERS = 8192;
const JWT_PATTERN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns true if a bearer token can be an access token. Keys of the platform contain no dots. */
export function isAccessTokenForm(token: string): boolean {
	return token.length <= MAX_TOKEN_CHARACTERS && JWT_PATTERN.test(token);
}

/**
 * Finds the agent of the human that an access token belongs to, the same as after a sign-in. The first token of a human creates it.
 *
 * @param resource The audience that the token must be for, as a URL.
 * @returns Null for a token that is malformed, expired, of another issuer, for another audience or not signed by the issuer.
 * @throws AppError `SERVICE_BUSY` when the issuer's keys cannot be read now, `SERVICE_PAUSED` for a new human while registration is paused.
 */
export async function findActorByAccessToken(deps: Deps, token: string, resource: string): Promise<Actor | null> {
	const { mcpTokens } = deps.config;
	if (mcpTokens === null || !isAccessTokenForm(token)) return null;
	const account = await readTokenAccount(deps, mcpTokens, { token, resource });
	return account === null ? null : findActorByAccount(deps, account);
}

/** Only the issuer can make these signatures. A shared secret or no signature proves nothing. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
const CLOCK_TOLERANCE_SECONDS = 30;

/** A token that is bound to a key (`cnf`) proves nothing without that key, which no MCP client shows. */
const accessClaims = z.looseObject({
	sub: z.string().min(1),
	client_id: z.string(),
	iat: z.number(),
	scope: z.string().default(""),
	/** Some issuers name the grant here. */
	gty: z.string().optional(),
	cnf: z.never().optional(),
});
type AccessClaims = z.infer<typeof accessClaims>;

type McpTokenSettings = NonNullable<Config["mcpTokens"]>;

/**
 * Returns true for a token of a program. A program that signed in as itself is not a person (RFC 9068, section 5). Issuers differ in how
 * they name such a subject.
 */
function isOfClient({ sub, client_id, gty }: AccessClaims): boolean {
	return sub === client_id || sub === `${client_id}@clients` || gty === "client-credentials" || gty === "client_credentials";
}

function isAccepted(claims: AccessClaims, { scope, acceptsClients }: McpTokenSettings, now: number): boolean {
	if (claims.iat * SECOND_MS > now + CLOCK_TOLERANCE_SECONDS * SECOND_MS) return false;
	if (scope !== null && !claims.scope.split(" ").includes(scope)) return false;
	return acceptsClients || !isOfClient(claims);
}

async function readTokenAccount(
	deps: Deps,
	settings: McpTokenSettings,
	{ token, resource }: { readonly token: string; readonly resource: string },
): Promise<Account | null> {
	const issuer = issuerOf(settings.issuer);
	try {
		const as = await issuer.readMetadata(deps);
		const payload = await issuer.verify(deps, token, {
			issuer: as.issuer,
			audience: resource,
			typ: "at+jwt",
			algorithms: ALGORITHMS,
			requiredClaims: ["sub", "client_id", "exp", "iat", "jti"],
			clockTolerance: CLOCK_TOLERANCE_SECONDS,
		});
		const claims = accessClaims.parse(payload);
		if (!isAccepted(claims, settings, deps.clock.now())) return null;
		return { issuer: as.issuer, subject: claims.sub, displayName: chooseDisplayName([claims["name"], claims["preferred_username"]]) };
	} catch (error) {
		if (!(error instanceof IssuerUnavailable)) {
			deps.log.info("access_token_refused", { error: describeError(error).error });
			return null;
		}
		deps.log.error("issuer_unavailable", { ...describeError(error) });
		throw new AppError("SERVICE_BUSY", {
			message: "The service that signs you in cannot be reached. Try again after the seconds in Retry-After, or use an API key.",
			retryAfterSeconds: RETRY_SECONDS,
			cause: error,
		});
	}
}

/** The issuer's documents cannot be read, so nothing is known about the token. */
class IssuerUnavailable extends Error {
	override readonly name = "IssuerUnavailable";
}

const RETRY_SECONDS = 30;
const TIMEOUT_MS = 5 * SECOND_MS;
const MAX_DOCUMENT_BYTES = 262_144;
/** Keys that the issuer removes stop working after this time. */
const KEYS_FRESH_MS = 10 * MINUTE_MS;
/** While the issuer cannot be reached, its documents count for this long. */
const MAX_AGE_MS = HOUR_MS;
/** Until the issuer's keys are known, this many requests to it are allowed. */
const MAX_REQUESTS_PER_MINUTE = 10;

/** Remembers an issuer's documents for this isolate, so that even a flood of bad tokens causes few requests to the issuer. */
class Issuer {
	readonly #url: URL;
	#metadata: { readonly as: oauth.AuthorizationServer & { readonly jwks_uri: string }; readonly until: number } | null = null;
	/** The library fills it. Its reader is made anew for each token, because a request must not use the connections of another one. */
	readonly #keys: JWKSCacheInput = {};
	#minute = { startsAt: 0, requests: 0 };

	constructor(url: string) {
		this.#url = new URL(url);
	}

	/** Reads the discovery document. @throws IssuerUnavailable. */
	async readMetadata(deps: Deps) {
		const now = deps.clock.now();
		if (this.#metadata !== null && now < this.#metadata.until) return this.#metadata.as;
		try {
			const options = {
				[oauth.customFetch]: (url: string) => this.#request(deps, url),
				[oauth.allowInsecureRequests]: deps.config.allowInsecureTargets,
			};
			const as = await oauth.processDiscoveryResponse(this.#url, await oauth.discoveryRequest(this.#url, options));
			if (as.jwks_uri === undefined) throw new IssuerUnavailable("The discovery document names no keys.");
			const usable = { ...as, jwks_uri: as.jwks_uri };
			this.#metadata = { as: usable, until: now + MAX_AGE_MS };
			return usable;
		} catch (cause) {
			throw new IssuerUnavailable("The discovery document cannot be used.", { cause });
		}
	}

	/**
	 * Reads the claims of a token that the issuer has signed. While its keys cannot be read again, those known for at most an hour count.
	 *
	 * @throws IssuerUnavailable; errors of the library for a token that proves nothing.
	 */
	async verify(deps: Deps, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
		const { jwks_uri } = await this.readMetadata(deps);
		const keys = createRemoteJWKSet(new URL(jwks_uri), {
			[customFetch]: (url) => this.#request(deps, url),
			[jwksCache]: this.#keys,
			cacheMaxAge: KEYS_FRESH_MS,
			cooldownDuration: MINUTE_MS,
			timeoutDuration: TIMEOUT_MS,
		});
		try {
			return (await jwtVerify(token, keys, options)).payload;
		} catch (error) {
			if (!(error instanceof IssuerUnavailable) && !(error instanceof errors.JWKSInvalid)) throw error;
			const kept = this.#keptKeys(deps.clock.now());
			if (kept === null) throw new IssuerUnavailable("The keys cannot be read.", { cause: error });
			return (await jwtVerify(token, createLocalJWKSet(kept), options)).payload;
		}
	}

	#keptKeys(now: number): JSONWebKeySet | null {
		const { jwks, uat } = this.#keys;
		return jwks !== undefined && uat !== undefined && now < uat + MAX_AGE_MS ? jwks : null;
	}

	async #request(deps: Deps, url: string): Promise<Response> {
		this.#count(deps.clock.now());
		if (!url.startsWith("https:") && !deps.config.allowInsecureTargets) throw new IssuerUnavailable(`${url} is not https.`);
		const read = { method: "GET", headers: { Accept: "application/json" }, body: null } as const;
		const result = await exchange(deps, { url, ...read, timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_DOCUMENT_BYTES });
		if (result.kind === "responded" && result.status === 200 && isJsonText(result.body)) return Response.json(JSON.parse(result.body));
		const reason = result.kind === "failed" ? result.message : `status ${result.status}, and no usable JSON`;
		deps.log.error("issuer_document_failed", { url, reason });
		throw new IssuerUnavailable(`${url}: ${reason}`);
	}

	/** Known keys are read again once a minute at most, even if every token names an unknown key. */
	#count(now: number): void {
		if (now >= this.#minute.startsAt + MINUTE_MS || now < this.#minute.startsAt) this.#minute = { startsAt: now, requests: 0 };
		const most = this.#keptKeys(now) === null ? MAX_REQUESTS_PER_MINUTE : 1;
		if (this.#minute.requests >= most) throw new IssuerUnavailable("The issuer was asked too often within a minute.");
		this.#minute.requests += 1;
	}
}

const issuers = new Map<string, Issuer>();

function issuerOf(url: string): Issuer {
	const issuer = issuers.get(url) ?? new Issuer(url);
	issuers.set(url, issuer);
	return issuer;
}
