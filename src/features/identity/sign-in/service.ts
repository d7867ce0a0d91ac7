import * as z from "zod";
import { commit, decideAndCommit, StaleReadError } from "../../../db/commit.ts";
import type { Actor, SessionActor, SessionFacts } from "../../../domain/actor.ts";
import { AppError } from "../../../domain/errors.ts";
import { agentSuspended } from "../../../http/authenticate.ts";
import { assertRunning } from "../../../http/pause.ts";
import { toIso } from "../../../platform/clock.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import { isSignatureOf, signText } from "../../../platform/keyring.ts";
import { seal, unseal } from "../../../platform/sealed.ts";
import type { Deps, PublicCtx, SessionCtx } from "../../../ports/deps.ts";
import { mayTier } from "../agents/rules.ts";
import { newAgent } from "../agents/service.ts";
import { forgetKnownAgent, readKeyHolder, revokeOtherKeys, stopKeys } from "../api-keys/service.ts";
import { noteSwitches } from "../switches/service.ts";
import { type Account, type Provider, toSignInError } from "./provider.ts";
import { configuredProviders } from "./providers.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const SEAL_PURPOSE = "sign-in-attempt";
const CSRF_PURPOSE = "csrf";

export function listProviders(ctx: PublicCtx) {
	const providers = configuredProviders(ctx.config).map(({ id, name }) => ({
		id,
		name,
		sign_in_url: `${ctx.baseUrl}/api/auth/sign-in/${id}`,
	}));
	return Promise.resolve({ providers });
}

/** @throws AppError `NOT_FOUND`. */
function getProvider(ctx: PublicCtx, id: string): Provider {
	const providers = configuredProviders(ctx.config);
	const provider = providers.find((one) => one.id === id);
	if (provider !== undefined) return provider;
	const known = providers.map((one) => one.id).join(", ");
	const hint = known === "" ? "Sign-in is not configured on this deployment." : `There are: ${known}.`;
	throw new AppError("NOT_FOUND", { message: `This deployment has no such way to sign in. ${hint}` });
}

/** The cookie that the browser keeps during a sign-in. It is sealed, so it cannot be read or forged. */
const attemptCookie = z.object({
	provider: z.string(),
	state: z.string(),
	nonce: z.string(),
	codeVerifier: z.string(),
	redirectUri: z.string(),
	returnUrl: z.string(),
	expiresAt: z.number(),
});

/** Starts a sign-in: where the browser goes, and the cookie that binds the result to this browser. */
export async function startSignIn(ctx: PublicCtx, { provider: id, returnTo }: { provider: string; returnTo: string | undefined }) {
	const provider = getProvider(ctx, id);
	const attempt = {
		provider: provider.id,
		state: randomHex(32),
		nonce: randomHex(32),
		codeVerifier: randomHex(32),
		redirectUri: `${ctx.baseUrl}/api/auth/callback/${provider.id}`,
		returnUrl: rules.resolveReturnUrl(returnTo, ctx.baseUrl),
		expiresAt: ctx.clock.now() + rules.ATTEMPT_TTL_MS,
	};
	const location = await provider.authorizationUrl(ctx, attempt);
	return { location: location.href, cookie: await seal(ctx.config.keys, SEAL_PURPOSE, JSON.stringify(attempt)) };
}

interface Return {
	readonly provider: string;
	readonly callbackUrl: string;
	/** What {@link startSignIn} gave to this browser. */
	readonly attemptCookie: string | null;
	/** The token of the session that this browser had before. It ends with the new one. */
	readonly earlierToken: string | null;
}

/**
 * Ends a sign-in: checks the service's callback and opens a session under a new token.
 *
 * @throws AppError `BAD_REQUEST` for a callback that does not belong to a sign-in of this browser.
 */
export async function finishSignIn(ctx: PublicCtx, { provider: id, callbackUrl, attemptCookie: cookie, earlierToken }: Return) {
	const provider = getProvider(ctx, id);
	const attempt = await readAttempt(ctx, cookie);
	if (attempt === null || attempt.provider !== provider.id || attempt.expiresAt <= ctx.clock.now()) {
		throw new AppError("BAD_REQUEST", { message: "This sign-in was not begun in this browser, or too long ago. Start it again." });
	}
	const account = await provider.identify(ctx, attempt, new URL(callbackUrl)).catch((error: unknown) => {
		throw toSignInError(ctx, error);
	});
	return { location: attempt.returnUrl, token: await openSession(ctx, account, earlierToken) };
}

async function readAttempt(ctx: PublicCtx, cookie: string | null) {
	if (cookie === null) return null;
	try {
		return attemptCookie.parse(JSON.parse(await unseal(ctx.config.keys, SEAL_PURPOSE, cookie)));
	} catch {
		return null;
	}
}

/** A new session for a human, who gets an identity with the first one. */
async function openSession(deps: Deps, account: Account, earlierToken: string | null): Promise<string> {
	const token = `svc_ses_${randomHex(32)}`;
	const now = deps.clock.now();
	const session = { hash: await sha256Hex(token), createdAt: now, expiresAt: now + rules.SESSION_TTL_MS };
	const ended = earlierToken === null ? [] : [statements.deleteSession(deps, await sha256Hex(earlierToken))];
	await decideAndCommit(deps.db, async () => {
		const known = await store.findUserId(deps, account);
		const user = known === null ? await newUser(deps, account) : { id: known, statements: [] };
		await commit(deps.db, [...user.statements, statements.insertSession(deps, { ...session, userId: user.id }), ...ended]);
	});
	return token;
}

/** @throws AppError `SERVICE_PAUSED` while registration is paused. */
async function newUser(deps: Deps, { issuer, subject, displayName }: Account) {
	await assertRunning(deps, ["registration"]);
	const id = deps.ids.next();
	const agent = newAgent(deps, { displayName, tier: "verified", userId: id });
	const row = { id, issuer, subject, agentId: agent.id, createdAt: deps.clock.now() };
	return { id, statements: [agent.statement, statements.insertUser(deps, row)] };
}

/**
 * The human behind an account that has proved itself without a browser. The first time creates them, as a first sign-in does.
 *
 * @throws AppError `SERVICE_PAUSED` for a new human while registration is paused.
 */
export function findActorByAccount(deps: Deps, account: Account): Promise<Actor> {
	return decideAndCommit(deps.db, async () => {
		const known = await store.findHuman(deps, account);
		if (known !== null) return actorOf(known);
		const user = await newUser(deps, account);
		await commit(deps.db, user.statements);
		const created = await store.findHuman(deps, account);
		if (created === null) throw new StaleReadError("users");
		return actorOf(created);
	});
}

function actorOf({ suspendedAt, ...facts }: NonNullable<Awaited<ReturnType<typeof store.findHuman>>>): Actor {
	return { ...humanOf(facts), isSuspended: suspendedAt !== null, authMethod: "session", session: null };
}

/** A human's own identity has neither a key nor an operator. */
function humanOf<Facts extends { readonly userId: string }>(facts: Facts) {
	return { ...facts, party: facts.userId, keyId: null, operatorTokenId: null };
}

/** The human behind a session's token; null when it is malformed, unknown or over. */
export async function findActorBySession(deps: Deps, token: string): Promise<SessionActor | null> {
	if (!rules.SESSION_TOKEN_PATTERN.test(token)) return null;
	const [hash, now] = [await sha256Hex(token), deps.clock.now()];
	const found = await findSession(deps, hash);
	if (found === null) return null;
	const { expiresAt, suspendedAt, switchesSeen, ...facts } = found;
	noteSwitches(deps, switchesSeen, now);
	const csrfToken = await signText(deps.config.keys, CSRF_PURPOSE, hash);
	return {
		...humanOf(facts),
		isSuspended: suspendedAt !== null,
		authMethod: "session",
		session: { hash, csrfToken, expiresAt },
	};
}

async function findSession(deps: Deps, hash: string) {
	const found = await store.findActiveSession(deps, { hash, now: deps.clock.now() });
	if (found !== null) return found;
	// A replica may not have seen a session that is seconds old: ask the primary before refusing.
	deps.db.refresh();
	return store.findActiveSession(deps, { hash, now: deps.clock.now() });
}

/** Whether text is the CSRF token of a session, in constant time. */
export async function isCsrfToken(deps: Deps, { hash }: SessionFacts, presented: string | null): Promise<boolean> {
	return presented !== null && isSignatureOf(deps.config.keys, { purpose: CSRF_PURPOSE, text: hash }, presented);
}

export function getSession(ctx: SessionCtx) {
	const { csrfToken, expiresAt } = ctx.actor.session;
	const { agentId, displayName, tier } = ctx.actor;
	return Promise.resolve({ agent_id: agentId, name: displayName, tier, csrf_token: csrfToken, expires_at: toIso(expiresAt) });
}

export async function signOut(ctx: SessionCtx) {
	await commit(ctx.db, [statements.deleteSession(ctx, ctx.actor.session.hash)]);
	return { signed_out: true as const };
}

/**
 * Gives an anonymous agent to the signed-in human who holds its key. If two humans try at once, one succeeds.
 * Revokes every other key of the agent, so that no other holder of a key can act as the human's agent.
 *
 * @throws AppError `NOT_FOUND` for an unknown key, `CONFLICT` for an agent that is not anonymous.
 */
export async function claimAgent(ctx: SessionCtx, { api_key }: { api_key: string }) {
	const { userId } = ctx.actor;
	if (userId === null) throw new AppError("FORBIDDEN");
	return decideAndCommit(ctx.db, async () => {
		const holder = await getClaimable(ctx, api_key);
		const { agentId, displayName, activeKeyIds } = holder;
		await commit(ctx.db, [
			statements.guardUnclaimed(ctx, agentId),
			...revokeOtherKeys(ctx, holder),
			statements.giveAgent(ctx, { agentId, userId }),
			statements.giveOperatorTokens(ctx, { agentId, userId }),
		]);
		const revoked = activeKeyIds.filter((id) => id !== holder.keyId);
		stopKeys(ctx, revoked);
		forgetKnownAgent(agentId);
		return { agent_id: agentId, display_name: displayName, tier: "verified" as const, revoked_keys: revoked.length };
	});
}

async function getClaimable(ctx: SessionCtx, key: string) {
	const holder = await readKeyHolder(ctx, key);
	if (holder === null) {
		throw new AppError("NOT_FOUND", {
			message: "This key is unknown or revoked. Send an active key of the agent, exactly as it was shown.",
		});
	}
	if (holder.isSuspended) throw agentSuspended();
	if (mayTier(holder.tier, "beClaimed") && holder.userId === null) return holder;
	throw new AppError("CONFLICT", {
		message: "Only an anonymous agent can be claimed, and only once. This one already belongs to a person or an operator.",
	});
}
