// Provides the services at which humans sign in, on loopback: a real OpenID Connect provider, and an imitation of GitHub's API.
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import Provider from "oidc-provider";
import { serveLocally } from "./local-server.ts";

export const CLIENT = { id: "bounty-platform", secret: "only-for-tests-and-long-enough-for-everybody" } as const;

export interface SignInServices {
	readonly issuer: string;
	readonly github: string;
	/** The person who signs in next. */
	human: { readonly subject: string; readonly name: string };
	/** Registers the URL of the provider's client. */
	register(clientOrigin: string): void;
	close(): Promise<void>;
}

/** Returns the settings of a deployment that offers both services. */
export function signInVars({ issuer, github }: SignInServices): Record<string, string> {
	return {
		SIGN_IN_OIDC_ISSUER: issuer,
		SIGN_IN_OIDC_CLIENT_ID: CLIENT.id,
		SIGN_IN_OIDC_CLIENT_SECRET: CLIENT.secret,
		SIGN_IN_OIDC_NAME: "Company account",
		SIGN_IN_GITHUB_CLIENT_ID: CLIENT.id,
		SIGN_IN_GITHUB_CLIENT_SECRET: CLIENT.secret,
		SIGN_IN_GITHUB_URL: github,
	};
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export async function startSignInServices(): Promise<SignInServices> {
	let answer: Listener = (_request, response) => void response.writeHead(503).end();
	const { url: issuer, stop } = await serveLocally((request, response) => answer(request, response));
	const services: SignInServices = {
		issuer,
		github: `${issuer}/github`,
		human: { subject: "ada", name: "Ada Lovelace" },
		register(clientOrigin) {
			answer = route(createProvider(services, clientOrigin), services);
		},
		close: stop,
	};
	return services;
}

function createProvider(services: SignInServices, clientOrigin: string): Provider {
	return new Provider(services.issuer, {
		clients: [
			{
				client_id: CLIENT.id,
				client_secret: CLIENT.secret,
				redirect_uris: [`${clientOrigin}/api/auth/callback/oidc`],
				grant_types: ["authorization_code"],
				response_types: ["code"],
			},
		],
		cookies: { keys: ["only-for-tests"] },
		claims: { openid: ["sub"], profile: ["name"] },
		features: { devInteractions: { enabled: false } },
		interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
		findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId, name: services.human.name }) }),
		async loadExistingGrant({ oidc }) {
			const { client, session, provider } = oidc;
			if (client === undefined || session?.accountId === undefined) return undefined;
			const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
			grant.addOIDCScope("openid profile");
			await grant.save();
			return grant;
		},
	});
}

/** Handles requests to both services. Signing in takes one click, because the next person is signed in at once. */
function route(provider: Provider, services: SignInServices): Listener {
	const callback = provider.callback();
	const github = githubRoutes();
	return (request, response) => {
		const url = new URL(request.url ?? "/", services.issuer);
		if (url.pathname.startsWith("/github/")) return void github(request, response, url);
		if (!url.pathname.startsWith("/interaction/")) return void callback(request, response);
		provider.interactionFinished(request, response, { login: { accountId: services.human.subject } }).catch((error: unknown) => {
			response.writeHead(500).end(String(error));
		});
	};
}

const GITHUB_CODE = "github-code";

function githubRoutes() {
	let challenge: string | null = null;
	const redirect = (response: ServerResponse, { searchParams }: URL) => {
		challenge = searchParams.get("code_challenge");
		const back = new URL(searchParams.get("redirect_uri") ?? "");
		back.searchParams.set("code", GITHUB_CODE);
		back.searchParams.set("state", searchParams.get("state") ?? "");
		response.writeHead(302, { Location: back.href }).end();
	};
	return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
		const json = (body: unknown) => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
		if (url.pathname === "/github/login/oauth/authorize") redirect(response, url);
		else if (url.pathname === "/github/login/oauth/access_token") {
			const form = new URLSearchParams(await text(request));
			const isGood = form.get("code") === GITHUB_CODE && form.get("client_secret") === CLIENT.secret;
			const expected = await sha256Base64Url(form.get("code_verifier") ?? "");
			// GitHub reports an invalid code with status 200.
			json(
				isGood && challenge === expected
					? { access_token: "gho_test", token_type: "bearer", scope: "read:user" }
					: { error: "bad_verification_code" },
			);
			challenge = null;
		} else if (url.pathname === "/github/api/v3/user" && request.headers.authorization === "Bearer gho_test")
			json({ id: 583_231, login: "octocat", name: null });
		else response.writeHead(401).end();
	};
}

async function sha256Base64Url(text: string): Promise<string> {
	return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("base64url");
}
