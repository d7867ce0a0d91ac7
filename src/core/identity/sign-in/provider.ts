// The interface of a sign-in service, and the parts that all OAuth services share.
import * as oauth from "oauth4webapi";
import * as z from "zod";
import type { Config } from "../../../config/env.ts";
import { AppError } from "../../../domain/errors.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { chooseDisplayName } from "./rules.ts";

/** What must be remembered from the start of a sign-in until the browser is back. */
export interface SignInAttempt {
	/** The id of the sign-in service. */
	readonly provider: string;
	readonly state: string;
	readonly nonce: string;
	/** The PKCE verifier. */
	readonly codeVerifier: string;
	readonly redirectUri: string;
}

/** A human's account at the service. Issuer and subject together identify it and never change. */
export interface Account {
	readonly issuer: string;
	readonly subject: string;
	readonly displayName: string;
}

export interface Provider {
	readonly id: "github" | "oidc";
	/** The text after "Sign in with" on the button. */
	readonly name: string;
	/** Builds the URL to which the browser is redirected. @throws AppError `SERVICE_BUSY` if the service cannot be reached. */
	authorizationUrl(deps: Deps, attempt: SignInAttempt): Promise<URL>;
	/**
	 * Reads the account from the callback of the service.
	 *
	 * @param callbackUrl The whole URL of the callback.
	 * @throws an error that {@link toSignInError} turns into `BAD_REQUEST` if the callback does not belong to this attempt, or `SERVICE_BUSY`
	 * if the service fails.
	 */
	identify(deps: Deps, attempt: SignInAttempt, callbackUrl: URL): Promise<Account>;
}

const TIMEOUT_MS = 10_000;

/** Returns the options for requests of the OAuth library: the platform's own `fetch`, a time limit, and http URLs only in development. */
function requestOptions(deps: Deps) {
	return {
		[oauth.customFetch]: (
			url: string,
			{ body, method, headers, redirect, signal }: oauth.CustomFetchOptions<string, oauth.ProtectedResourceRequestBody | URLSearchParams>,
		) => deps.fetch(url, { body: body ?? null, method, headers, redirect, signal: signal ?? null }),
		[oauth.allowInsecureRequests]: deps.config.allowInsecureTargets,
		signal: () => AbortSignal.timeout(TIMEOUT_MS),
	};
}

/** Builds the authorization request, with PKCE, `state` and an exact redirect URI. */
async function buildAuthorizationUrl(endpoint: string, attempt: SignInAttempt, parameters: Readonly<Record<string, string>>): Promise<URL> {
	const url = new URL(endpoint);
	const all = {
		...parameters,
		response_type: "code",
		redirect_uri: attempt.redirectUri,
		state: attempt.state,
		code_challenge: await oauth.calculatePKCECodeChallenge(attempt.codeVerifier),
		code_challenge_method: "S256",
	};
	for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
	return url;
}

/** Chooses how the client authenticates at the token endpoint. */
function clientAuthOf(clientSecret: string | null, as: oauth.AuthorizationServer): oauth.ClientAuth {
	if (clientSecret === null) return oauth.None();
	const methods = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
	return methods.includes("client_secret_basic") ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);
}

const REFUSALS = [
	oauth.AuthorizationResponseError,
	oauth.OperationProcessingError,
	oauth.ResponseBodyError,
	oauth.WWWAuthenticateChallengeError,
];

/** Turns a failed exchange with the service into an error for the caller, and logs the reason. Returns an `AppError` unchanged. */
export function toSignInError(deps: Deps, error: unknown): AppError {
	if (error instanceof AppError) return error;
	const isRefusal = REFUSALS.some((kind) => error instanceof kind);
	deps.log[isRefusal ? "info" : "error"]("sign_in_failed", { ...describeError(error) });
	if (!isRefusal) return serviceUnreachable(error);
	return new AppError("BAD_REQUEST", { message: "The sign-in was not completed. Start it again.", cause: error });
}

const SERVICE_RETRY_SECONDS = 30;

function serviceUnreachable(cause: unknown): AppError {
	return new AppError("SERVICE_BUSY", {
		message: "The sign-in service did not respond as expected. Try again after the number of seconds in Retry-After.",
		retryAfterSeconds: SERVICE_RETRY_SECONDS,
		cause,
	});
}

// GitHub uses OAuth without OpenID Connect, so the account is read from its API.

type GithubSettings = NonNullable<Config["signIn"]["github"]>;

/** Only `id` identifies a person, because a login name can move to someone else. */
const githubUser = z.object({ id: z.number().int(), login: z.string(), name: z.string().nullish() });

export function githubProvider(settings: GithubSettings): Provider {
	const as: oauth.AuthorizationServer = {
		issuer: settings.url,
		authorization_endpoint: `${settings.url}/login/oauth/authorize`,
		token_endpoint: `${settings.url}/login/oauth/access_token`,
	};
	return {
		id: "github",
		name: "GitHub",
		authorizationUrl: (_deps, attempt) =>
			buildAuthorizationUrl(`${settings.url}/login/oauth/authorize`, attempt, { client_id: settings.clientId, scope: "read:user" }),
		async identify(deps, attempt, callbackUrl) {
			const accessToken = await exchangeCode(deps, { settings, as, attempt, callbackUrl });
			return readAccount(deps, settings, accessToken);
		},
	};
}

async function exchangeCode(
	deps: Deps,
	{
		settings,
		as,
		attempt,
		callbackUrl,
	}: {
		readonly settings: GithubSettings;
		readonly as: oauth.AuthorizationServer;
		readonly attempt: SignInAttempt;
		readonly callbackUrl: URL;
	},
): Promise<string> {
	const client: oauth.Client = { client_id: settings.clientId };
	const parameters = oauth.validateAuthResponse(as, client, callbackUrl, attempt.state);
	const response = await oauth.authorizationCodeGrantRequest(
		as,
		client,
		oauth.ClientSecretPost(settings.clientSecret),
		parameters,
		attempt.redirectUri,
		attempt.codeVerifier,
		requestOptions(deps),
	);
	return (await oauth.processAuthorizationCodeResponse(as, client, response)).access_token;
}

async function readAccount(deps: Deps, settings: GithubSettings, accessToken: string): Promise<Account> {
	const headers = new Headers({ Accept: "application/vnd.github+json", "User-Agent": "bounty-platform" });
	const response = await oauth.protectedResourceRequest(
		accessToken,
		"GET",
		new URL(`${settings.apiUrl}/user`),
		headers,
		null,
		requestOptions(deps),
	);
	if (response.status !== 200) throw serviceUnreachable(`GitHub's API returned ${response.status}.`);
	const user = githubUser.parse(await response.json());
	return { issuer: settings.url, subject: String(user.id), displayName: chooseDisplayName([user.name, user.login]) };
}

// Signs in with any OpenID Connect issuer.

type OidcSettings = NonNullable<Config["signIn"]["oidc"]>;

export function oidcProvider(settings: OidcSettings): Provider {
	return {
		id: "oidc",
		name: settings.name,
		async authorizationUrl(deps, attempt) {
			const as = await discover(deps, settings);
			if (as.authorization_endpoint === undefined) throw serviceUnreachable("The issuer does not name an authorization endpoint.");
			return buildAuthorizationUrl(as.authorization_endpoint, attempt, {
				client_id: settings.clientId,
				scope: "openid profile",
				nonce: attempt.nonce,
			});
		},
		identify: (deps, attempt, callbackUrl) => identify(deps, settings, { attempt, callbackUrl }),
	};
}

async function discover(deps: Deps, { issuer }: OidcSettings): Promise<oauth.AuthorizationServer> {
	const url = new URL(issuer);
	try {
		return await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, requestOptions(deps)));
	} catch (error) {
		throw serviceUnreachable(error);
	}
}

/** Checks `iss`, `state`, PKCE, and the ID token's claims and nonce. Also checks the ID token's signature, although it came over TLS. */
async function identify(
	deps: Deps,
	settings: OidcSettings,
	{ attempt, callbackUrl }: { readonly attempt: SignInAttempt; readonly callbackUrl: URL },
): Promise<Account> {
	const as = await discover(deps, settings);
	const client: oauth.Client = { client_id: settings.clientId };
	const options = requestOptions(deps);
	const parameters = oauth.validateAuthResponse(as, client, callbackUrl, attempt.state);
	const response = await oauth.authorizationCodeGrantRequest(
		as,
		client,
		clientAuthOf(settings.clientSecret, as),
		parameters,
		attempt.redirectUri,
		attempt.codeVerifier,
		options,
	);
	const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: attempt.nonce, requireIdToken: true });
	await oauth.validateApplicationLevelSignature(as, response, options);
	const claims = oauth.getValidatedIdTokenClaims(tokens);
	if (claims === undefined) throw serviceUnreachable("The issuer sent no ID token.");
	const named = claims["name"] ?? claims["preferred_username"];
	const profile = named === undefined && as.userinfo_endpoint !== undefined ? await readProfile(tokens.access_token, claims.sub) : claims;
	return {
		issuer: as.issuer,
		subject: claims.sub,
		displayName: chooseDisplayName([profile["name"], profile["preferred_username"], profile["nickname"]]),
	};

	async function readProfile(accessToken: string, subject: string) {
		return oauth.processUserInfoResponse(as, client, subject, await oauth.userInfoRequest(as, client, accessToken, options));
	}
}
