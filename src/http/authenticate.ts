// Defines a step for each kind of authentication that a contract can require.
import type { Context, Next } from "hono";
import * as z from "zod";
import type { Config } from "../config/env.ts";
import type { Actor, Scope } from "../domain/actor.ts";
import { ADMIN_TOKEN_PATTERN, OPERATOR_TOKEN_PATTERN } from "../domain/credentials.ts";
import { AppError } from "../domain/errors.ts";
import { equalSecrets } from "../platform/crypto.ts";
import { readSignedUrl, type UrlGrant } from "../platform/signed-url.ts";
import type { Ctx, Deps, PublicCtx } from "../ports/deps.ts";
import { carriesAccessToken, readBearer } from "./bearer.ts";
import { type AuthKind, type EndpointContract, isReading } from "./endpoint.ts";
import type { ChainStep, HonoEnv } from "./hono-env.ts";
import { findOwnRequest } from "./own-requests.ts";
import { assertWithinAgentLimit, assertWithinRateLimit, assertWithinSessionLimit } from "./rate-limit.ts";
import { CSRF_HEADER, carriesSession, isOwnRequest, isSafeMethod, readCookie, SESSION_COOKIE } from "./session-cookie.ts";

/** The step that enforces each kind of authentication. `none` needs no step. */
export const authenticators: Readonly<Record<AuthKind, ChainStep | null>> = {
	key: authenticateKey,
	session: authenticateHuman,
	operator: authenticateOperator,
	signed: authenticateUrl,
	callback: presentCallbackToken,
	admin: authenticateAdmin,
	none: null,
};

const BEARER = { "WWW-Authenticate": 'Bearer realm="bounty-platform"' };
/** This error of RFC 6750 makes a program refresh its token. */
const INVALID_TOKEN = { "WWW-Authenticate": `${BEARER["WWW-Authenticate"]}, error="invalid_token"` };
/** No registered scheme says that the URL is the credential. `Bearer` would ask for a header that is not read. */
const SIGNED_URL = { "WWW-Authenticate": 'SignedUrl realm="bounty-platform"' };
const CALLBACK_TOKEN = { "WWW-Authenticate": 'CallbackToken realm="bounty-platform"' };

/** Adds what a credential has proved to the request's context. */
function admit(c: Context<HonoEnv>, proved: object): void {
	c.set("ctx", { ...c.get("ctx"), ...proved });
}

async function authenticateKey(c: Context<HonoEnv>, next: Next): Promise<void> {
	admit(c, { actor: await identifyCaller(c) });
	await next();
}

async function authenticateHuman(c: Context<HonoEnv>, next: Next): Promise<void> {
	const actor = await identifyCaller(c);
	if (actor.session === null) {
		throw new AppError("FORBIDDEN", {
			message:
				"This endpoint works only with the session of a signed-in browser. GET /api/auth/providers lists the ways to sign in, and POST /api/auth/session accepts a key.",
		});
	}
	admit(c, { actor });
	await next();
}

/**
 * Returns the step that limits what a program may do with an access token. A program's requests count against its agent's allowance,
 * because hosted programs send all their users' requests from a few IP addresses. Searches with a session count against the agent's
 * allowance too.
 */
export function limitPrograms(contract: EndpointContract): ChainStep | null {
	if (contract.auth !== "key") return null;
	return async function limitPrograms(c, next) {
		const ctx = c.get("ctx");
		const { grant, agentId, session } = getActor(ctx);
		if (session !== null && contract.rate === "search") await assertWithinAgentLimit(ctx, "search", agentId);
		if (grant !== null) {
			assertInScope(contract, grant.scope);
			if (contract.rate !== "none" && findOwnRequest(c.req.raw) === null) await assertWithinAgentLimit(ctx, contract.rate, agentId);
		}
		await next();
	};
}

function getActor(ctx: PublicCtx & { readonly actor?: Actor }): Actor {
	if (ctx.actor === undefined) throw new Error("The caller has not been authenticated.");
	return ctx.actor;
}

/** @throws AppError `FORBIDDEN`, with the challenge of RFC 6750 if the scope is too small. */
function assertInScope(contract: EndpointContract, scope: Scope): void {
	if (contract.isForHolders === true) {
		throw new AppError("FORBIDDEN", {
			message: "Connected programs cannot do this, because it concerns credentials. Use a key, or sign in.",
		});
	}
	if (scope === "act" || isReading(contract)) return;
	throw new AppError("FORBIDDEN", {
		message: 'The agent has only allowed this program to read. Connect the program again with the scope "act".',
		headers: { "WWW-Authenticate": `${BEARER["WWW-Authenticate"]}, error="insufficient_scope", scope="act"` },
	});
}

/**
 * Finds the caller. A request with a session counts against the allowance of the session's agent. If a session or access token is rejected,
 * the request counts against the allowance of the IP address.
 */
async function identifyCaller(c: Context<HonoEnv>): Promise<Actor> {
	const [{ raw }, ctx] = [c.req, c.get("ctx")];
	const isSession = findOwnRequest(raw) === null && carriesSession(raw, ctx.baseUrl);
	const isProgram = findOwnRequest(raw) === null && carriesAccessToken(raw);
	const actor = await authenticate(ctx, raw, ctx.baseUrl).catch(async (error: unknown) => {
		if (isSession || isProgram) await assertWithinRateLimit(ctx, "general", raw);
		throw error;
	});
	if (isSession) await assertWithinSessionLimit(ctx, actor.agentId);
	return actor;
}

/**
 * Finds the caller by the `Authorization` header, or by the session cookie if there is none.
 *
 * @param ownOrigin The API's origin. A cookie counts only if no other origin caused the request.
 * @throws AppError `unauthorized` if the key or session is missing, malformed, unknown, expired or revoked; `FORBIDDEN` if the agent is
 * suspended, or if a session's write lacks its CSRF token.
 */
export async function authenticate(deps: Deps, request: Request, ownOrigin: string): Promise<Actor> {
	if (!request.headers.has("Authorization")) return authenticateSession(deps, request, ownOrigin);
	const key = readBearer(request);
	const actor = key === null ? null : await deps.identities.findByKey(deps, key);
	if (actor === null && key !== null) throw new AppError("unauthorized", { headers: INVALID_TOKEN });
	return admissible(actor);
}

/**
 * Returns the holder of a key or session.
 *
 * @throws AppError `unauthorized` if there is none, `FORBIDDEN` while the holder is suspended.
 */
function admissible<Holder extends Actor>(actor: Holder | null): Holder {
	if (actor === null) throw credentialRefused();
	assertNotSuspended(actor);
	return actor;
}

/**
 * Rejects credentials of a suspended agent. Only signed URLs are not checked here: a suspended agent's URL gets a 401, like a revoked
 * key's.
 *
 * @throws AppError `FORBIDDEN` if the agent is suspended.
 */
export function assertNotSuspended({ isSuspended }: { readonly isSuspended: boolean }): void {
	if (!isSuspended) return;
	throw new AppError("FORBIDDEN", { message: "An operator of this platform has suspended this agent, so its credentials do not work." });
}

/** Returns the error for a request without a key or session, or with one that is unknown or has ended. */
export function credentialRefused(): AppError {
	return new AppError("unauthorized", { headers: BEARER });
}

/**
 * Checks whether a commit that depends on the caller's credential (`guardNotEnded`) was rejected because the credential has just ended.
 *
 * @throws AppError `unauthorized` if it has.
 */
export async function assertNotEnded(ctx: Ctx): Promise<void> {
	ctx.db.refresh();
	const holder = holderOf(ctx);
	if (holder === null || (await ctx.identities.findHolder(ctx, holder)) === null) throw credentialRefused();
}

async function authenticateSession(deps: Deps, request: Request, ownOrigin: string): Promise<Actor> {
	const token = readCookie(request, SESSION_COOKIE);
	const actor = admissible(token === null || !isOwnRequest(request, ownOrigin) ? null : await deps.identities.findBySession(deps, token));
	if (isSafeMethod(request) || (await deps.identities.isCsrfToken(deps, actor.session, request.headers.get(CSRF_HEADER)))) return actor;
	throw new AppError("FORBIDDEN", {
		message: `To write with a session, send the header ${CSRF_HEADER} with the csrf_token that GET /api/auth/session returns.`,
	});
}

async function authenticateOperator(c: Context<HonoEnv>, next: Next): Promise<void> {
	const ctx = c.get("ctx");
	const token = readBearer(c.req.raw);
	if (token === null || !OPERATOR_TOKEN_PATTERN.test(token)) throw new AppError("INVALID_OPERATOR_TOKEN_FORMAT", { headers: BEARER });
	const operator = await ctx.identities.findOperatorToken(ctx, token);
	if (operator === null) {
		const message = "The operator token is unknown or revoked. GET /api/v1/operator-tokens lists yours.";
		throw new AppError("UNAUTHORIZED", { message, headers: BEARER });
	}
	assertNotSuspended(operator);
	admit(c, { operatorTokenId: operator.id });
	await next();
}

async function authenticateUrl(c: Context<HonoEnv>, next: Next): Promise<void> {
	const ctx = c.get("ctx");
	const grant = await readSignedUrl(ctx.config.keys, c.req.raw);
	const [isUsable, holder] = grant === null ? [false, null] : await Promise.all([isUnexpired(ctx, grant), findHolder(ctx, grant)]);
	if (grant === null || !isUsable || holder === null) {
		throw new AppError("UNAUTHORIZED", {
			message:
				"The signature of this URL is missing, wrong or expired, or the key or session that requested it has ended. Use the URL exactly as you got it, or request a new one.",
			headers: SIGNED_URL,
		});
	}
	admit(c, { grant, holderAgentId: holder.agentId });
	await next();
}

/**
 * Returns the id of the credential on which the caller's signed URLs depend: the grant, session or key. Without one, returns the agent's
 * id. The URLs stop working when the credential ends or the agent is suspended. Returns null without a caller.
 */
export function holderOf({ actor }: PublicCtx & { readonly actor?: Actor }): string | null {
	return actor === undefined ? null : (actor.grant?.id ?? actor.session?.hash ?? actor.keyId ?? actor.agentId);
}

/** Returns null if the credential of the URL has ended. `agentId` is null if no agent requested the URL. */
async function findHolder(deps: Deps, { holder }: UrlGrant): Promise<{ readonly agentId: string | null } | null> {
	const agentId = holder === null ? null : await deps.identities.findHolder(deps, holder);
	return holder !== null && agentId === null ? null : { agentId };
}

/**
 * Returns true if a signed URL still works. An upload URL that has expired works while the task accepts uploads, because the deadline may
 * have moved since the URL was signed.
 */
async function isUnexpired(deps: Deps, grant: UrlGrant): Promise<boolean> {
	const now = deps.clock.now();
	if (grant.expiresAt > now) return true;
	const laterEnd = grant.method === "PUT" ? await deps.identities.findUploadEnd(deps, grant.path) : null;
	return laterEnd !== null && laterEnd > now;
}

const callbackBody = z.object({ callback_token: z.string() });

/**
 * Lets the verb compare the token, because only the verb knows the submission's task, and because 404 and `WRONG_EVAL_MODE` take precedence
 * over a wrong token. A handler that succeeds without comparing the token is a bug in the platform.
 */
async function presentCallbackToken(c: Context<HonoEnv>, next: Next): Promise<void> {
	const { callback_token } = callbackBody.parse(c.get("body"));
	let isChecked = false;
	const assertMatches = async (expectedHash: string | null) => {
		if (!(await equalSecrets(callback_token, expectedHash))) throw new AppError("INVALID_CALLBACK_TOKEN", { headers: CALLBACK_TOKEN });
		isChecked = true;
	};
	admit(c, { callbackToken: { assertMatches } });
	await next();
	if (c.res.ok && !isChecked) throw new Error(`The endpoint ${c.req.routePath} did not check the callback token.`);
}

/** Responds with 404 if no token is configured, because the deployment then has no such endpoints. */
async function authenticateAdmin(c: Context<HonoEnv>, next: Next): Promise<void> {
	const { adminTokens } = c.get("ctx").config;
	if (adminTokens.length === 0) throw new AppError("NOT_FOUND");
	const adminToken = await findPresented(c.req.raw, adminTokens);
	if (adminToken === null) {
		throw new AppError("UNAUTHORIZED", {
			message: "Send this deployment's admin token as 'Authorization: Bearer svc_admin_...'.",
			headers: BEARER,
		});
	}
	admit(c, { admin: adminToken.actor });
	c.set("adminRole", adminToken.role);
	await next();
}

/** Returns true if a request to a public endpoint has one of the deployment's admin tokens. */
export async function isAdminRequest({ adminTokens }: Pick<Config, "adminTokens">, request: Request): Promise<boolean> {
	return (await findPresented(request, adminTokens)) !== null;
}

async function findPresented(request: Request, adminTokens: Config["adminTokens"]) {
	const presented = readBearer(request);
	return presented !== null && ADMIN_TOKEN_PATTERN.test(presented) ? findAdminToken(presented, adminTokens) : null;
}

/** Compares the presented token with every admin token, so that the response time does not reveal which admin token matches. */
async function findAdminToken(presented: string, tokens: Config["adminTokens"]): Promise<Config["adminTokens"][number] | null> {
	const matches = await Promise.all(tokens.map(({ sha256 }) => equalSecrets(presented, sha256)));
	return tokens[matches.indexOf(true)] ?? null;
}
