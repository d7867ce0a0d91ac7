// Provides a request that succeeds for each operation of the OAuth issuer that writes.
import { vi } from "vitest";
import type { ReadyCall } from "./fault-stage.ts";
import { signInHuman } from "./identities.ts";
import { authorizationOf, type Browser, browserOf, connect, consent, postForm, REDIRECT, registerProgram } from "./programs.ts";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

function form(fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): ReadyCall {
	return { key: null, rawBody: new URLSearchParams(fields).toString(), headers: { ...FORM, ...headers } };
}

const signedIn = async () => browserOf(await signInHuman());
/** Returns headers that ask for JSON, because a client that reads no pages gets errors as JSON. */
const cookieOf = ({ cookie }: Browser) => ({ Cookie: cookie, Accept: "application/json" });

const MOMENT = Date.now();

/** Does work at a fixed moment, so that the rows of all scenes have the same times. The sums of deleted rows are compared. */
async function inOneMoment<Result>(work: () => Promise<Result>): Promise<Result> {
	vi.useFakeTimers({ toFake: ["Date"], now: MOMENT });
	try {
		return await work();
	} finally {
		vi.useRealTimers();
	}
}

async function beginDevice(): Promise<string> {
	const response = await postForm("/oauth/device_authorization", { client_id: "bounty-cli", scope: "act" });
	return String(Object((await response.json()) as unknown).user_code);
}

export const OAUTH_CALLS: Readonly<Record<string, () => Promise<ReadyCall>>> = {
	registerClient: async () => ({
		key: null,
		rawBody: JSON.stringify({ redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" }),
		headers: { "Content-Type": "application/json" },
	}),
	showConsent: async () => {
		const { clientId } = await registerProgram();
		return { key: null, query: await authorizationOf(clientId), headers: cookieOf(await signedIn()) };
	},
	decideConsent: async () => {
		const by = await signedIn();
		const { clientId } = await registerProgram();
		return form({ ...(await authorizationOf(clientId)), csrf_token: by.csrfToken, decision: "allow" }, cookieOf(by));
	},
	redeemToken: async () => {
		const { clientId: client_id } = await registerProgram();
		const code = await consent(await signedIn(), client_id);
		return form({ grant_type: "authorization_code", client_id, code, redirect_uri: REDIRECT, code_verifier: "v".repeat(43) });
	},
	revokeToken: async () => {
		const { clientId: client_id, tokens } = await inOneMoment(async () => connect(await signedIn()));
		return form({ token: tokens.access_token, client_id });
	},
	startDevice: async () => form({ client_id: "bounty-cli" }),
	showDevice: async () => ({ key: null, query: { user_code: await beginDevice() }, headers: cookieOf(await signedIn()) }),
	decideDevice: async () => {
		const by = await signedIn();
		return form({ user_code: await beginDevice(), csrf_token: by.csrfToken, decision: "allow" }, cookieOf(by));
	},
	endGrant: async () => {
		const person = await signInHuman();
		const by = await browserOf(person);
		await inOneMoment(() => connect(by));
		const [grant] = (await person.call("listGrants")).data;
		return { key: null, params: { id: grant?.id ?? "" }, headers: { Cookie: by.cookie, "X-CSRF-Token": by.csrfToken } };
	},
};
