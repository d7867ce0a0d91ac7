// This file has the interface of a sign-in service, and the parts that all OAuth services share.
import * as oauth from "oauth4webapi";
import { AppError } from "../../../domain/errors.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";

/** An attempt lasts from the start of a sign-in until the browser is back. */
export interface SignInAttempt {
	/** The provider has this id. */
	readonly provider: string;
	readonly state: string;
	readonly nonce: string;
	/** PKCE calls this secret the verifier. */
	readonly codeVerifier: string;
	readonly redirectUri: string;
}

/** The service knows a human by an account. Its issuer and subject together never change. */
export interface Account {
	readonly issuer: string;
	readonly subject: string;
	readonly displayName: string;
}

export interface Provider {
	readonly id: "github" | "oidc";
	/** A button shows it after "Sign in with". */
	readonly name: string;
	/** Builds the URL to which the browser is sent. @throws AppError `INTERNAL_ERROR` when the service cannot be reached. */
	authorizationUrl(deps: Deps, attempt: SignInAttempt): Promise<URL>;
	/**
	 * Reads the account with which the browser came back from the service.
	 *
	 * @param callbackUrl The whole URL of the callback.
	 * @throws AppError `BAD_REQUEST` when the callback does not belong to this attempt, `INTERNAL_ERROR` when the service fails.
	 */
	identify(deps: Deps, attempt: SignInAttempt, callbackUrl: URL): Promise<Account>;
}

const TIMEOUT_MS = 10_000;

/** Makes the OAuth library send requests within a time limit, and to http only in development. */
export function requestOptions(deps: Deps) {
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
export async function buildAuthorizationUrl(
	endpoint: string,
	attempt: SignInAttempt,
	parameters: Readonly<Record<string, string>>,
): Promise<URL> {
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

/** Chooses how the client proves itself at the token endpoint. */
export function clientAuthOf(clientSecret: string | null, as: oauth.AuthorizationServer): oauth.ClientAuth {
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

/** Makes the caller's error for a failed exchange with the service. Only the log has the reason. */
export function toSignInError(deps: Deps, error: unknown): AppError {
	if (error instanceof AppError) return error;
	const isRefusal = REFUSALS.some((kind) => error instanceof kind);
	deps.log[isRefusal ? "info" : "error"]("sign_in_failed", { ...describeError(error) });
	if (!isRefusal) return serviceUnreachable(error);
	return new AppError("BAD_REQUEST", { message: "The sign-in was not completed. Start it again.", cause: error });
}

export function serviceUnreachable(cause: unknown): AppError {
	return new AppError("INTERNAL_ERROR", { message: "The sign-in service returned an unexpected response. Try again in a moment.", cause });
}
