// A webhook ends with the key or grant that created it, or that last set its URL or secret. Otherwise someone who stole a key could go on
// receiving events after it is revoked. A webhook that a signed-in person created does not depend on a credential.
import { type SQL, sql } from "drizzle-orm";
import { type Actor, keyBehind } from "../domain/actor.ts";
import type { Statement } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

type Store = Pick<Deps, "db" | "clock">;

/** Returns the columns that tie a webhook to the caller's credential. */
export function dependenceOf(actor: Pick<Actor, "grant" | "session" | "keyId">): { dependsOn: string | null; credentialId: SQL | null } {
	const { grant, session } = actor;
	return {
		dependsOn: grant?.id ?? keyBehind(actor),
		credentialId: session === null ? null : sql`(select credential_id from sessions where hash = ${session.hash})`,
	};
}

/**
 * Ends the active webhooks that meet a condition on their columns. Each webhook's Durable Object cancels pending deliveries before its next
 * attempt.
 */
export function endWebhooks({ db, clock }: Store, condition: SQL): Statement {
	return db.statement(sql`update webhooks set active = 0, inactive_reason = 'revoked', ended_at = ${clock.now()}
		where active = 1 and (${condition})`);
}

/**
 * Moves webhooks from one credential to another, so that they do not end with the first one. Must run before the statement that ends the
 * first one.
 *
 * @param from Selects the ids of keys or grants in a column `id`.
 */
export function handOverWebhooks({ db }: Store, from: SQL, to: ReturnType<typeof dependenceOf>): Statement {
	return db.statement(sql`update webhooks set depends_on = ${to.dependsOn}, credential_id = ${to.credentialId}
		where depends_on in (select earlier.id from (${from}) earlier)`);
}

/**
 * Makes webhooks independent of keys, if they were created in a session that one of these credentials opened. Revoking the key behind the
 * credential then no longer ends them.
 *
 * @param credentials Selects the ids of credentials, such as passkeys, in a column `id`.
 */
export function confirmWebhooks({ db }: Pick<Deps, "db">, credentials: SQL): Statement {
	return db.statement(
		sql`update webhooks set depends_on = null where credential_id in (select confirmed.id from (${credentials}) confirmed)`,
	);
}

/**
 * Reads the ids of an agent's webhooks that ended because their credential did, at `since` or later. The oldest webhook comes first.
 *
 * @param since In milliseconds since the epoch.
 */
export function selectEndedOf(deps: Pick<Deps, "db">, { agentId, since }: { agentId: string; since: number }): Promise<string[]> {
	return selectEnded(deps, sql`agent_id = ${agentId} and ended_at >= ${since}`);
}

/** Reads the ids of the webhooks that ended together with a key or grant. The oldest webhook comes first. */
export function selectEndedWith(deps: Pick<Deps, "db">, credentialId: string): Promise<string[]> {
	return selectEnded(deps, sql`depends_on = ${credentialId}`);
}

async function selectEnded({ db }: Pick<Deps, "db">, condition: SQL): Promise<string[]> {
	const rows = await db.query.all<{ id: string }>(
		sql`select id from webhooks where inactive_reason = 'revoked' and (${condition}) order by id`,
	);
	return rows.map(({ id }) => id);
}
