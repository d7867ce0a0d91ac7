// Connects the library `@cloudflare/workers-oauth-provider` to a store. The library parses requests, and checks clients, PKCE, codes and
// tokens.
import type { ClientInfo, OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { SCOPES } from "../../domain/actor.ts";
import { ACCESS_TOKEN_TTL_SECONDS, AUTHORIZE_PATH, REFRESH_TOKEN_TTL_SECONDS, REGISTER_PATH, TOKEN_PATH } from "./rules.ts";

/** The methods of Workers KV with which the library stores clients, grants and tokens. */
export interface KeyValueStore {
	get(key: string, options?: { readonly type: "json" }): Promise<unknown>;
	put(key: string, value: string, options?: PutOptions): Promise<void>;
	delete(key: string): Promise<void>;
	list(options: { readonly prefix: string }): Promise<KeyPage>;
}

export interface PutOptions {
	/** Seconds since the epoch. */
	readonly expiration?: number;
	/** Seconds from now. */
	readonly expirationTtl?: number;
	readonly metadata?: unknown;
}

export interface KeyPage {
	readonly keys: readonly { readonly name: string; readonly metadata?: unknown }[];
	readonly list_complete: true;
}

/** The environment from which the library reads its store. */
export interface LibraryEnv {
	readonly OAUTH_KV: KeyValueStore;
}

let library: typeof import("@cloudflare/workers-oauth-provider") | undefined;

/** Loads the library on first use, because it needs the Workers runtime, and some scripts read the contracts in Node. */
export async function loadLibrary(): Promise<typeof import("@cloudflare/workers-oauth-provider")> {
	library ??= await import("@cloudflare/workers-oauth-provider");
	return library;
}

/** The part of the library's issuer that the platform uses. */
interface Issuer {
	/** The library does not use the context. */
	fetch(request: Request, env: LibraryEnv, context: object): Promise<Response>;
	getOAuthApi(env: LibraryEnv): OAuthHelpers;
}

const issuers = new Map<string, Issuer>();

/**
 * Returns the issuer of an origin. The issuer has only one resource, the whole deployment.
 *
 * @param baseUrl The deployment's origin, without a trailing slash.
 */
export async function issuerOf(baseUrl: string): Promise<Issuer> {
	const { OAuthAuthorizationServer } = await loadLibrary();
	const cached = issuers.get(baseUrl);
	if (cached !== undefined) return cached;
	const issuer = new OAuthAuthorizationServer<LibraryEnv>({
		issuer: baseUrl,
		resources: [baseUrl],
		authorizeEndpoint: AUTHORIZE_PATH,
		tokenEndpoint: TOKEN_PATH,
		clientRegistrationEndpoint: REGISTER_PATH,
		scopesSupported: [...SCOPES],
		accessTokenTTL: ACCESS_TOKEN_TTL_SECONDS,
		refreshTokenTTL: REFRESH_TOKEN_TTL_SECONDS,
		refreshTokenIdleTTL: REFRESH_TOKEN_TTL_SECONDS,
		// Clients are rows of the directory. A sweep deletes clients without grants.
		clientRegistrationTTL: FOR_EVER_SECONDS,
		// By default, the library logs each rejected request.
		onError: () => undefined,
	});
	// A deployment has one origin. Locally, each request can name another, so the number of cached issuers is limited.
	if (issuers.size >= MAX_ISSUERS) issuers.clear();
	issuers.set(baseUrl, issuer);
	return issuer;
}

const MAX_ISSUERS = 20;
const FOR_EVER_SECONDS = 100 * 365 * 24 * 3_600;

/** Returns a read-only store with one client. */
export function storeOfClient(client: ClientInfo | null): KeyValueStore {
	const readOnly = async () => {
		throw new Error("The library writes nothing here.");
	};
	return {
		get: async (key) => (client !== null && key === `client:${client.clientId}` ? client : null),
		put: readOnly,
		delete: readOnly,
		list: async () => ({ keys: [], list_complete: true }),
	};
}
