// The settings for signing in with GitHub and with an OpenID Connect issuer.
import * as z from "zod";
import { baseUrl, httpUrl, optional, requiredText, settingsOf } from "./setting.ts";

const signIn = settingsOf("Sign-in", "People can sign in with GitHub, with an OpenID Connect issuer, or both.");

const githubSettings = z
	.object({
		clientId: signIn("SIGN_IN_GITHUB_CLIENT_ID", optional(requiredText), {
			ifInvalid: "off",
			meaning: "the client ID of a GitHub OAuth app. Set both it and its client secret, or neither",
		}),
		clientSecret: signIn("SIGN_IN_GITHUB_CLIENT_SECRET", optional(requiredText), {
			isSecret: true,
			ifInvalid: "off",
			meaning: "the client secret of the GitHub OAuth app",
		}),
		url: signIn("SIGN_IN_GITHUB_URL", baseUrl.prefault("https://github.com"), {
			ifInvalid: "off",
			meaning: "for GitHub Enterprise: its URL; the URL of its API is derived from it",
		}),
	})
	.transform(({ clientId, clientSecret, url }, context) => {
		if (clientId !== null && clientSecret !== null) return { clientId, clientSecret, url, apiUrl: githubApiOf(url) };
		if (clientId !== null || clientSecret !== null) {
			context.addIssue({
				code: "custom",
				path: ["clientSecret"],
				message: "must be set together with SIGN_IN_GITHUB_CLIENT_ID, or not at all",
			});
		}
		return null;
	});

/** Returns the URL of GitHub's API. GitHub itself serves the API from a separate host, and an enterprise server serves it under a path. */
function githubApiOf(url: string): string {
	const { protocol, host } = new URL(url);
	return host === "github.com" || host.endsWith(".ghe.com") ? `${protocol}//api.${host}` : `${url}/api/v3`;
}

const oidcSettings = z
	.object({
		issuer: signIn("SIGN_IN_OIDC_ISSUER", optional(httpUrl), {
			ifInvalid: "off",
			meaning: "the issuer, exactly as in its discovery document; set both it and the client ID, or neither",
		}),
		clientId: signIn("SIGN_IN_OIDC_CLIENT_ID", optional(requiredText), {
			ifInvalid: "off",
			meaning: "the client ID that the issuer gave you",
		}),
		clientSecret: signIn("SIGN_IN_OIDC_CLIENT_SECRET", optional(requiredText), {
			isSecret: true,
			ifInvalid: "off",
			meaning: "the client secret that the issuer gave you. Leave it out for a public client, which is protected by PKCE",
		}),
		name: signIn("SIGN_IN_OIDC_NAME", requiredText.max(60).prefault("OpenID Connect"), {
			ifInvalid: "off",
			meaning: "the provider's name on the sign-in button",
		}),
	})
	.transform(({ issuer, clientId, ...rest }, context) => {
		if (issuer !== null && clientId !== null) return { issuer, clientId, ...rest };
		if (issuer !== null || clientId !== null) {
			context.addIssue({ code: "custom", path: ["clientId"], message: "must be set together with SIGN_IN_OIDC_ISSUER, or not at all" });
		}
		return null;
	});

export const signInSettings = z.object({ github: githubSettings, oidc: oidcSettings });
