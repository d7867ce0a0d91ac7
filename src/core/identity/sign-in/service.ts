import type { SessionActor, SessionFacts } from "../../../domain/actor.ts";
import { SESSION_TOKEN_PATTERN } from "../../../domain/credentials.ts";
import { assertRunning } from "../../../http/pause.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import { isSignatureOf, signText } from "../../../platform/keyring.ts";
import type { Deps } from "../../../ports/deps.ts";
import { newAgent } from "../agents/service.ts";
import { isKeyStopped } from "../api-keys/service.ts";
import { noteSwitches } from "../switches/service.ts";
import type { Account } from "./provider.ts";
import { SESSION_TTL_MS } from "./rules.ts";
import { insertUser } from "./statements.ts";
import { findActiveSession } from "./store.ts";

const CSRF_PURPOSE = "csrf";

/**
 * Builds the statements that store a new human and the human's own agent. Nothing is stored until the caller commits them.
 *
 * @throws AppError `SERVICE_PAUSED` while registration is paused.
 */
export async function newUser(deps: Deps, { issuer, subject, displayName }: Account) {
	await assertRunning(deps, ["registration"]);
	const id = deps.ids.next();
	const agent = newAgent(deps, { displayName, tier: "verified", userId: id });
	const row = { id, issuer, subject, agentId: agent.id, createdAt: deps.clock.now() };
	return { id, statements: [agent.statement, insertUser(deps, row)] };
}

/** Completes the actor of a human's session. A human is a party of their own, without a key, an operator token or a grant. */
function humanOf<Facts extends { readonly userId: string }>(facts: Facts) {
	return { ...facts, party: facts.userId, keyId: null, operatorTokenId: null, grant: null };
}

/**
 * Finds the identity behind a session's token. Returns null if the token is malformed or unknown, the session has expired, or the key that
 * opened it is no longer active.
 */
export async function findActorBySession(deps: Deps, token: string): Promise<SessionActor | null> {
	if (!SESSION_TOKEN_PATTERN.test(token)) return null;
	const [hash, now] = [await sha256Hex(token), deps.clock.now()];
	const row = await findSession(deps, hash);
	if (row === null) return null;
	const { human, key, expiresAt, dependsOnKey } = row;
	const session = await describeSession(deps, { hash, expiresAt, dependsOnKey: key?.keyId ?? dependsOnKey });
	if (human !== null) {
		const { switchesSeen, ...facts } = human;
		noteSwitches(deps, switchesSeen, now);
		return { ...humanOf(facts), authMethod: "session", session };
	}
	if (key === null || isKeyStopped(key)) return null;
	const { lastUsedAt: _, switchesSeen, ...facts } = key;
	noteSwitches(deps, switchesSeen, now);
	return { ...facts, authMethod: "session", session, grant: null };
}

/** Adds the CSRF token to a session. The token is derived from the session's hash, so it is not stored. */
export async function describeSession(deps: Deps, facts: Omit<SessionFacts, "csrfToken">): Promise<SessionFacts> {
	return { ...facts, csrfToken: await signText(deps.config.keys, CSRF_PURPOSE, facts.hash) };
}

/** Builds a new session's token, and a row with the token's hash. The caller adds the session's holder to the row and stores it. */
export async function newSession(deps: Deps) {
	const token = `svc_ses_${randomHex(32)}`;
	const now = deps.clock.now();
	return { token, row: { hash: await sha256Hex(token), createdAt: now, expiresAt: now + SESSION_TTL_MS } };
}

async function findSession(deps: Deps, hash: string) {
	const session = await findActiveSession(deps, { hash, now: deps.clock.now() });
	if (session !== null) return session;
	// Read the primary before rejecting a session, because a session that is only seconds old may not have reached the replica.
	deps.db.refresh();
	return findActiveSession(deps, { hash, now: deps.clock.now() });
}

/** Compares a string with the CSRF token of a session in constant time. */
export async function isCsrfToken(deps: Deps, { hash }: SessionFacts, presented: string | null): Promise<boolean> {
	return presented !== null && isSignatureOf(deps.config.keys, { purpose: CSRF_PURPOSE, text: hash }, presented);
}
