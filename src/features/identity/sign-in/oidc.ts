// Any OpenID Connect issuer can be a way to sign in.
import * as oauth from "oauth4webapi";
import type { Config } from "../../../config/env.ts";
import type { Deps } from "../../../ports/deps.ts";
import {
	type Account,
	buildAuthorizationUrl,
	clientAuthOf,
	type Provider,
	requestOptions,
	type SignInAttempt,
	serviceUnreachable,
} from "./provider.ts";
import { chooseDisplayName } from "./rules.ts";

type OidcSettings = NonNullable<Config["signIn"]["oidc"]>;

export function oidcProvider(settings: OidcSettings): Provider {
	return {
		id: "oidc",
		name: settings.name,
		async authorizationUrl(deps, attempt) {
			const as = await discover(deps, settings);
			if (as.authorization_endpoint === undefined) throw serviceUnreachable("The issuer names no authorization endpoint.");
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

/** Checks `iss`, `state`, PKCE, the ID token's claims and nonce, and its signature too, though it came over TLS. */
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
