import { eq, type SQL, sql } from "drizzle-orm";
import { endSessions } from "../../core/identity/sign-in/statements.ts";
import { guard } from "../../db/commit.ts";
import { agents } from "../../db/schema/agents.ts";
import { usedChallenges } from "../../db/schema/open-registration.ts";
import { passkeys } from "../../db/schema/passkeys.ts";
import { sessions, users } from "../../db/schema/users.ts";
import { confirmWebhooks } from "../../db/webhook-ends.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { IssuedChallenge } from "./challenge.ts";

/** Uses up a challenge. If it was already used, the guard makes the commit fail. */
export function useUp({ db }: Deps, { nonce, expiresAt }: IssuedChallenge): Statement[] {
	return [
		guard(db, sql`not exists (select 1 from used_challenges where nonce = ${nonce})`),
		db.query.insert(usedChallenges).values({ nonce, expiresAt }),
	];
}

/** Turns an unclaimed agent into the identity of a human without a provider account. Its tier stays. */
export function becomeHuman({ db }: Deps, { agentId, now }: { readonly agentId: string; readonly now: number }): Statement[] {
	return [
		guard(db, sql`exists (select 1 from agents where id = ${agentId} and user_id is null)`),
		db.query.insert(users).values({ id: agentId, issuer: null, subject: null, agentId, createdAt: now }),
		db.query.update(agents).set({ userId: agentId }).where(eq(agents.id, agentId)),
	];
}

/** Guards: the agent's person has fewer than `max` passkeys, and no one has this credential. */
export function insertPasskey(
	{ db }: Deps,
	row: typeof passkeys.$inferInsert,
	{ agentId, max }: { readonly agentId: string; readonly max: number },
): Statement[] {
	return [
		guard(db, sql`exists (select 1 from users where id = ${row.userId} and agent_id = ${agentId})`),
		guard(db, sql`not exists (select 1 from passkeys where credential_id = ${row.credentialId})`),
		guard(db, sql`(select count(*) from passkeys where user_id = ${row.userId}) < ${max}`),
		db.query.insert(passkeys).values(row),
	];
}

/** Guards: the caller's session has not ended, and the key that a new passkey depends on is active. */
export function guardCaller(
	{ db }: Deps,
	{ sessionHash, keyId }: { readonly sessionHash: string | null; readonly keyId: string | null },
): Statement[] {
	return [
		...(sessionHash === null ? [] : [guard(db, sql`exists (select 1 from sessions where hash = ${sessionHash})`)]),
		...(keyId === null ? [] : [guard(db, sql`exists (select 1 from api_keys where id = ${keyId} and revoked_at is null)`)]),
	];
}

/** Records a use. If the passkey was removed or used after its counter was read, the guard makes the commit fail. */
export function updateCounter(
	{ db }: Deps,
	use: { readonly id: string; readonly readCounter: number; readonly counter: number; readonly now: number },
): Statement[] {
	return [
		guard(db, sql`exists (select 1 from passkeys where id = ${use.id} and counter = ${use.readCounter})`),
		db.query.update(passkeys).set({ counter: use.counter, lastUsedAt: use.now }).where(eq(passkeys.id, use.id)),
	];
}

/**
 * Makes a passkey independent of the key that made it, and also the sessions that the passkey opened, and the grants and webhooks that were
 * made in these sessions.
 */
export function confirmPasskey(deps: Deps, id: string): Statement[] {
	return confirmPasskeys(deps, sql`id = ${id}`);
}

function confirmPasskeys(deps: Deps, condition: SQL): Statement[] {
	const { db } = deps;
	return [
		...deps.holdings.flatMap((holding) => holding.confirmWith?.(deps, sql`select id from passkeys where ${condition}`) ?? []),
		confirmWebhooks(deps, sql`select id from passkeys where ${condition}`),
		db.query.update(sessions).set({ dependsOnKey: null }).where(sql`credential_id in (select id from passkeys where ${condition})`),
		db.query.update(passkeys).set({ dependsOnKey: null }).where(condition),
	];
}

/** Removes a passkey and the sessions that it opened, unless nothing else would be left to sign in with. */
export function removePasskey(
	deps: Deps,
	{ id, userId, agentId }: { readonly id: string; readonly userId: string; readonly agentId: string },
): Statement[] {
	const { db } = deps;
	return [
		guard(db, sql`exists (select 1 from passkeys where id = ${id} and user_id = ${userId})`),
		guard(
			db,
			sql`exists (select 1 from passkeys where user_id = ${userId} and id <> ${id})
				or exists (select 1 from users where id = ${userId} and issuer is not null)
				or exists (select 1 from api_keys where agent_id = ${agentId} and revoked_at is null)`,
		),
		...deletePasskeys(deps, sql`id = ${id}`),
	];
}

/** Ends the passkeys of the person whose own agent this is. */
export function endPasskeysOf(deps: Deps, agentId: string): Statement[] {
	return deletePasskeys(deps, sql`user_id in (select id from users where agent_id = ${agentId})`);
}

/**
 * Ends the passkeys that depend on keys, and the sessions that they opened. If a person revokes the key in a session that such a passkey
 * opened, the passkey is confirmed instead, because the person wants to go on without the key.
 */
export function endPasskeysOfKeys(deps: Deps, keys: SQL, revokedIn: string | null): Statement[] {
	const dependsOnKeys = sql`depends_on_key in (${keys})`;
	return [
		...confirmPasskeys(deps, sql`${dependsOnKeys} and id = (select credential_id from sessions where hash = ${revokedIn})`),
		...endSessions(deps, dependsOnKeys),
		...deletePasskeys(deps, dependsOnKeys),
	];
}

function deletePasskeys(deps: Deps, condition: SQL): Statement[] {
	return [
		...endSessions(deps, sql`credential_id in (select id from passkeys where ${condition})`),
		deps.db.statement(sql`delete from passkeys where ${condition}`),
	];
}
