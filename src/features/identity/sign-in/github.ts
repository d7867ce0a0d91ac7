// GitHub speaks OAuth without OpenID Connect, so its API says who came back.
import * as oauth from "oauth4webapi";
import * as z from "zod";
import type { Config } from "../../../config/env.ts";
import type { Deps } from "../../../ports/deps.ts";
import { type Account, buildAuthorizationUrl, type Provider, requestOptions, type SignInAttempt, serviceUnreachable } from "./provider.ts";
import { chooseDisplayName } from "./rules.ts";

type GithubSettings = NonNullable<Config["signIn"]["github"]>;

/** The number stays when another person gets the login. */
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
