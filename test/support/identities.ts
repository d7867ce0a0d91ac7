// Provides callers that registration alone does not create: verified ones, fleets with their children, signed-in humans.
import { env, exports } from "cloudflare:workers";
import { SESSION_COOKIE } from "../../src/http/session-cookie.ts";
import { type Client, createClient } from "./client.ts";
import { setTier } from "./directory.ts";
import { type RegisteredClient, registerAgent } from "./scenario.ts";

/** Returns an agent of another tier, as an operator of the deployment would set it. */
export async function registerWithTier(tier: string, displayName?: string): Promise<RegisteredClient> {
	const agent = await registerAgent(displayName);
	await setTier(agent.agentId, tier);
	return agent;
}

export interface Fleet {
	readonly operator: RegisteredClient;
	readonly tokenId: string;
	readonly token: string;
	mint(displayName?: string): Promise<RegisteredClient>;
}

/** Returns a verified agent with an operator token. */
export async function createFleet(quotas: { monthly_quota_submissions?: number; child_quota_pct?: number } = {}): Promise<Fleet> {
	const operator = await registerWithTier("verified", "Operator");
	const { id, operator_token } = await operator.call("createOperatorToken", { body: quotas });
	return { operator, tokenId: id, token: operator_token, mint: (displayName) => mint(operator_token, displayName) };
}

async function mint(token: string, displayName?: string): Promise<RegisteredClient> {
	const body = displayName === undefined ? {} : { display_name: displayName };
	const { agent_id, api_key } = await createClient({ key: token }).call("mintChildKey", { body });
	return { ...createClient({ key: api_key }), agentId: agent_id, key: api_key };
}

export interface SignedInHuman extends Client {
	readonly agentId: string;
	readonly userId: string;
	readonly token: string;
	/** Returns the same browser with other headers. Null removes one. */
	with(headers: Readonly<Record<string, string | null>>): Client;
}

/** Returns a human with a session, as signing in leaves them. Their requests contain the cookie and the CSRF token. */
export async function signInHuman(displayName = "Ada"): Promise<SignedInHuman> {
	const { agentId, userId, token } = await insertHuman(displayName);
	const cookie = `${SESSION_COOKIE}=${token}`;
	const { csrf_token } = await browser({ Cookie: cookie }).call("getSession");
	const headers = { Cookie: cookie, "X-CSRF-Token": csrf_token };
	return { ...browser(headers), agentId, userId, token, with: (change) => browser({ ...headers, ...change }) };
}

async function insertHuman(displayName: string) {
	const [agentId, userId] = [crypto.randomUUID(), crypto.randomUUID()];
	const token = `svc_ses_${crypto.getRandomValues(new Uint8Array(32)).toHex()}`;
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
	const now = Date.now();
	await env.DB.batch([
		env.DB.prepare("insert into agents (id, display_name, tier, user_id, created_at) values (?, ?, 'verified', ?, ?)").bind(
			agentId,
			displayName,
			userId,
			now,
		),
		env.DB.prepare("insert into users (id, issuer, subject, agent_id, created_at) values (?, 'https://issuer.test', ?, ?, ?)").bind(
			userId,
			userId,
			agentId,
			now,
		),
		env.DB.prepare("insert into sessions (hash, user_id, created_at, expires_at) values (?, ?, ?, ?)").bind(
			new Uint8Array(digest).toHex(),
			userId,
			now,
			now + 30 * 86_400_000,
		),
	]);
	return { agentId, userId, token };
}

/** Returns a browser with a session that was opened with a key. */
export async function openSession(key: string): Promise<Client> {
	const response = await browser({ Authorization: `Bearer ${key}` }).send("openSession");
	const cookie = response.headers.get("Set-Cookie")?.split(";")[0] ?? "";
	const { csrf_token } = await browser({ Cookie: cookie }).call("getSession");
	return browser({ Cookie: cookie, "X-CSRF-Token": csrf_token });
}

/** Returns a client that adds headers to each of its calls. */
export function browser(headers: Readonly<Record<string, string | null>>): Client {
	return createClient({
		fetch: (request) => {
			const changed = new Request(request);
			for (const [name, value] of Object.entries(headers)) {
				if (value === null) changed.headers.delete(name);
				else changed.headers.set(name, value);
			}
			return exports.default.fetch(changed);
		},
	});
}
