import { AppError } from "../domain/errors.ts";
import { sha256Hex } from "../platform/crypto.ts";
import type { Deps, LimiterName, RateClass } from "../ports/deps.ts";
import { carriesAccessToken, readBearer } from "./bearer.ts";
import type { AuthKind } from "./endpoint.ts";
import type { ChainStep } from "./hono-env.ts";
import { addressKey, isShared, networkOf } from "./networks.ts";
import { findOwnRequest } from "./own-requests.ts";
import { carriesSession } from "./session-cookie.ts";

/** The limits per window and IP address or, for searches, per window and key. A test compares them with wrangler.toml. */
export const RATE_LIMITS = { submission: 10, mutation: 10, search: 20, general: 60 } as const satisfies Record<RateClass, number>;
export const RATE_WINDOW_SECONDS = 60;
/** The limit per window and agent for all requests with the agent's sessions, and for the general requests of its programs. */
export const SESSION_LIMIT = 300;
/**
 * The limit per window and IP address for requests of all classes together, if strangers share the IP address or the requests have a
 * session. Without it, made-up keys and cookies would multiply an IP address's allowance.
 */
export const SHARED_NETWORK_LIMIT = 1_000;
/**
 * The limit per window and network for messages that open or describe a connection to the MCP server. Some clients open one for each call.
 */
export const OPENING_LIMIT = 600;
/** The limit per window and IP address for registrations of programs. */
export const REGISTERING_LIMIT = 60;
/** How often per window the same code, refresh token or device code may be presented. */
export const REDEEMING_LIMIT = 30;

/**
 * The limit per window and network for requests of any kind, including uploads and signed URLs. On shared IP addresses, it applies per
 * credential or, without one, per IP address.
 */
export const EVERYTHING_LIMIT = 3_000;

/**
 * Counts a request against its class's allowance for the caller's IP address. For searches, and in shared networks, each credential has its
 * own allowance.
 *
 * @throws AppError `RATE_LIMITED` with `Retry-After`, `RateLimit-Policy` and `RateLimit`.
 */
export async function assertWithinRateLimit(deps: Deps, rate: RateClass, request: Request): Promise<void> {
	const ip = request.headers.get("CF-Connecting-IP");
	const address = addressKey(ip);
	const isNetworkShared = isShared(ip);
	const credential = isNetworkShared || rate === "search" ? credentialOf(request) : null;
	if (isNetworkShared && credential !== null) await countRequest(deps, "shared", { key: address, of: "this network" });
	const counted = credential === null ? { key: address, of: "one IP address" } : { key: await sha256Hex(credential), of: "one key" };
	await countRequest(deps, rate, counted);
}

/**
 * Counts a request with a session against the allowance of the session's agent.
 *
 * @throws AppError `RATE_LIMITED`, as {@link assertWithinRateLimit}.
 */
export async function assertWithinSessionLimit(deps: Deps, agentId: string): Promise<void> {
	await countRequest(deps, "session", { key: agentId, of: "one identity" });
}

/**
 * Counts a request of a program against its agent's allowance.
 *
 * @throws AppError `RATE_LIMITED`, as {@link assertWithinRateLimit}.
 */
export async function assertWithinAgentLimit(deps: Deps, rate: RateClass, agentId: string): Promise<void> {
	await countRequest(deps, rate === "general" ? "session" : rate, { key: agentId, of: "one agent" });
}

/**
 * Counts a message that opens or describes a connection to the MCP server. The message counts against its network's allowance.
 *
 * @throws AppError `RATE_LIMITED`, as {@link assertWithinRateLimit}.
 */
export async function assertWithinOpeningLimit(deps: Deps, request: Request): Promise<void> {
	const ip = request.headers.get("CF-Connecting-IP");
	const credential = isShared(ip) ? credentialOf(request) : null;
	const counted = credential === null ? { key: networkOf(ip), of: "one network" } : { key: await sha256Hex(credential), of: "one key" };
	await countRequest(deps, "opening", counted);
}

/**
 * Counts a request against a limit that only one endpoint has.
 *
 * @throws AppError `RATE_LIMITED`, as {@link assertWithinRateLimit}.
 */
export async function assertWithinLimit(deps: Deps, name: LimiterName, counted: { key: string; of: string }): Promise<void> {
	await countRequest(deps, name, counted);
}

/** Returns only the token, because the same key with `bearer` or more spaces must not have another allowance. */
function credentialOf(request: Request): string | null {
	return readBearer(request) ?? request.headers.get("Authorization");
}

/** Returns what a request from a shared IP address counts against: its credential or, without one, the IP address. */
async function sharersOf(request: Request, ip: string) {
	const credential = credentialOf(request);
	return credential === null ? { key: addressKey(ip), of: "one IP address" } : { key: await sha256Hex(credential), of: "one key" };
}

/** Returns the first step of every chain. It runs before any lookup, and so limits the load that strangers can put on the database. */
export function limitEverything(): ChainStep {
	return async function limitEverything(c, next) {
		const [{ raw }, ctx] = [c.req, c.get("ctx")];
		const ip = raw.headers.get("CF-Connecting-IP");
		// Only requests in local development lack `CF-Connecting-IP`.
		if (ip !== null && findOwnRequest(raw) === null) {
			await countRequest(ctx, "everything", isShared(ip) ? await sharersOf(raw, ip) : { key: networkOf(ip), of: "one network" });
		}
		await next();
	};
}

async function countRequest(deps: Deps, name: LimiterName, { key, of }: { key: string; of: string }): Promise<void> {
	const { success } = await deps.limits[name].limit({ key });
	if (success) return;
	throw new AppError("RATE_LIMITED", {
		message: `At most ${limitOf(name)} requests of this kind per minute from ${of}. Wait ${RATE_WINDOW_SECONDS} seconds.`,
		retryAfterSeconds: RATE_WINDOW_SECONDS,
		headers: { "RateLimit-Policy": policyOf(name), RateLimit: `"${name}";r=0;t=${RATE_WINDOW_SECONDS}` },
	});
}

const ALL_LIMITS = {
	...RATE_LIMITS,
	session: SESSION_LIMIT,
	shared: SHARED_NETWORK_LIMIT,
	opening: OPENING_LIMIT,
	registering: REGISTERING_LIMIT,
	redeeming: REDEEMING_LIMIT,
	everything: EVERYTHING_LIMIT,
} as const satisfies Record<LimiterName, number>;

function limitOf(name: LimiterName): number {
	return ALL_LIMITS[name];
}

/** Formats the allowance of a class for `RateLimit-Policy`. The counters do not show what is left, so only a 429 has `RateLimit`. */
export function policyOf(name: LimiterName): string {
	return `"${name}";q=${limitOf(name)};w=${RATE_WINDOW_SECONDS}`;
}

/**
 * Returns the step that counts the request. A general request with a session counts against the allowance of the session's agent once
 * authentication has found the agent. Until then, it counts only against the larger allowance that an IP address has for all classes, so
 * that made-up cookies cannot flood the database.
 */
export function rateLimit(rate: RateClass, auth: AuthKind): ChainStep {
	const mayBeSession = (rate === "general" || rate === "search") && (auth === "key" || auth === "session");
	return async function rateLimit(c, next) {
		const [{ raw }, ctx] = [c.req, c.get("ctx")];
		const isSession = mayBeSession && carriesSession(raw, ctx.baseUrl);
		// A program's request counts against its agent's allowance, after authentication has found the agent.
		const isProgram = auth === "key" && carriesAccessToken(raw);
		if (findOwnRequest(raw) === null && !isProgram) {
			if (isSession) await countRequest(ctx, "shared", { key: addressKey(raw.headers.get("CF-Connecting-IP")), of: "this network" });
			else await assertWithinRateLimit(ctx, rate, raw);
		}
		await next();
		const policy = policyOf((isSession || isProgram) && rate === "general" ? "session" : rate);
		// If a session exceeds its allowance, a later step rejects the request and sets the policy header.
		if (c.res.headers.get("RateLimit-Policy")?.includes(policy) !== true) c.res.headers.append("RateLimit-Policy", policy);
	};
}
