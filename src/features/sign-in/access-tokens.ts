// OAuth access tokens of the OpenID Connect issuer, as MCP clients send them: JWTs of RFC 9068, checked with the issuer's public keys.
import * as oauth from "oauth4webapi";
import type { Actor } from "../../domain/actor.ts";
import { AppError } from "../../domain/errors.ts";
import { isJsonText } from "../../domain/json-text.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";
import { describeError } from "../../platform/log.ts";
import { exchange } from "../../platform/outbound.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Account } from "./provider.ts";
import { chooseDisplayName } from "./rules.ts";
import { findActorByAccount } from "./service.ts";

/** More than issuers put into a token, and few enough to parse for anyone who asks. */
const MAX_TOKEN_CHARACTERS = 8192;
const JWT_PATTERN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Signatures that only the issuer can make. A shared secret or no signature proves nothing. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];

/** Whether a bearer token can be an access token. Keys of the platform contain no dots. */
export function isAccessTokenForm(token: string): boolean {
	return token.length <= MAX_TOKEN_CHARACTERS && JWT_PATTERN.test(token);
}

/**
 * The agent of the human that an access token belongs to, the same as after a sign-in. The first token of a human creates it.
 *
 * @param resource The audience that the token must be for, as a URL.
 * @returns Null for a token that is malformed, expired, of another issuer, for another audience or not signed by the issuer.
 * @throws AppError `SERVICE_BUSY` when the issuer's keys cannot be read now, `SERVICE_PAUSED` for a new human while registration is paused.
 */
export async function findActorByAccessToken(deps: Deps, token: string, resource: string): Promise<Actor | null> {
	const { mcpTokenIssuer: issuer } = deps.config;
	if (issuer === null || !isAccessTokenForm(token)) return null;
	const account = await readAccount(deps, issuer, { token, resource });
	return account === null ? null : findActorByAccount(deps, account);
}

interface Presented {
	readonly token: string;
	readonly resource: string;
}

async function readAccount(deps: Deps, issuer: string, { token, resource }: Presented): Promise<Account | null> {
	const documents = documentsOf(issuer);
	// Only the token counts: no other header of the client reaches the library.
	const request = new Request(resource, { headers: { Authorization: `Bearer ${token}` } });
	try {
		const as = await documents.readMetadata(deps);
		const options = { ...documents.requestOptions(deps), signingAlgorithms: ALGORITHMS };
		const claims = await oauth.validateJwtAccessToken(as, request, resource, options);
		// A program that signed in as itself is not a human (RFC 9068, section 5).
		if (claims.sub === claims.client_id) return null;
		const displayName = chooseDisplayName([claims["name"], claims["preferred_username"]]);
		return { issuer: as.issuer, subject: claims.sub, displayName };
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
/** A document is read again after this time at the earliest. Keys that the issuer adds work within this time. */
const REREAD_AFTER_MS = MINUTE_MS;
/** While the issuer cannot be reached, its documents count for this long. Keys that it removes stop working within this time. */
const MAX_AGE_MS = HOUR_MS;
const MAX_REQUESTS_PER_MINUTE = 10;

interface KeptDocument {
	readonly text: string;
	readonly readAt: number;
	triedAt: number;
}

/** What this isolate knows of the issuer. Tokens cause few requests to it, even a flood of bad ones. */
class IssuerDocuments {
	readonly #issuer: URL;
	readonly #kept = new Map<string, KeptDocument>();
	#metadata: { readonly as: oauth.AuthorizationServer; readonly until: number } | null = null;
	#minute = { startsAt: 0, requests: 0 };

	constructor(issuer: string) {
		this.#issuer = new URL(issuer);
	}

	/** The discovery document. The library keeps the keys with this object. @throws IssuerUnavailable */
	async readMetadata(deps: Deps): Promise<oauth.AuthorizationServer> {
		const now = deps.clock.now();
		if (this.#metadata !== null && now < this.#metadata.until) return this.#metadata.as;
		try {
			const response = await oauth.discoveryRequest(this.#issuer, this.requestOptions(deps));
			const as = await oauth.processDiscoveryResponse(this.#issuer, response);
			if (as.jwks_uri === undefined) throw new IssuerUnavailable("The discovery document names no keys.");
			this.#metadata = { as, until: now + MAX_AGE_MS };
			return as;
		} catch (cause) {
			throw new IssuerUnavailable("The discovery document cannot be used.", { cause });
		}
	}

	/** How the library reads documents: bounded in number, time and size, without redirects, and over http only in development. */
	requestOptions(deps: Deps) {
		return {
			[oauth.customFetch]: async (url: string) => {
				const text = await this.#read(deps, url);
				return new Response(text, { headers: { "Content-Type": "application/json" } });
			},
			[oauth.allowInsecureRequests]: deps.config.allowInsecureTargets,
		};
	}

	/** A document as the issuer has it, or had it within the last minute. Requests that arrive while one reads it use the old one. */
	async #read(deps: Deps, url: string): Promise<string> {
		const now = deps.clock.now();
		const kept = this.#kept.get(url);
		const isUsable = kept !== undefined && now < kept.readAt + MAX_AGE_MS;
		if (isUsable && now < kept.triedAt + REREAD_AFTER_MS) return kept.text;
		if (kept !== undefined) kept.triedAt = now;
		try {
			const text = await this.#request(deps, url);
			this.#kept.set(url, { text, readAt: now, triedAt: now });
			return text;
		} catch (error) {
			if (!isUsable) throw error;
			deps.log.error("issuer_unavailable", { ...describeError(error) });
			return kept.text;
		}
	}

	async #request(deps: Deps, url: string): Promise<string> {
		this.#count(deps.clock.now());
		const read = { method: "GET", headers: { Accept: "application/json" }, body: null } as const;
		const result = await exchange(deps, { url, ...read, timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_DOCUMENT_BYTES });
		if (result.kind === "failed") throw new IssuerUnavailable(result.message);
		if (result.status !== 200 || !isJsonText(result.body))
			throw new IssuerUnavailable(`${url} returned ${result.status}, and no usable JSON.`);
		return result.body;
	}

	#count(now: number): void {
		if (now >= this.#minute.startsAt + MINUTE_MS) this.#minute = { startsAt: now, requests: 0 };
		this.#minute.requests += 1;
		if (this.#minute.requests > MAX_REQUESTS_PER_MINUTE) throw new IssuerUnavailable("The issuer was asked too often within a minute.");
	}
}

const documentsByIssuer = new Map<string, IssuerDocuments>();

function documentsOf(issuer: string): IssuerDocuments {
	const documents = documentsByIssuer.get(issuer) ?? new IssuerDocuments(issuer);
	documentsByIssuer.set(issuer, documents);
	return documents;
}
