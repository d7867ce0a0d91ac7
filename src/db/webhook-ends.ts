// A webhook would outlive a leaked credential. So it ends with the key or grant that created it, or that last set its URL or secret. A
// webhook that a person created does not depend on a credential.
import { type SQL, sql } from "drizzle-orm";
import { type Actor, keyBehind } from "../domain/actor.ts";
import type { Statement } from "../ports/database.ts";
import type { Deps } from "../ports/deps.ts";

type Store = Pick<Deps, "db" | "clock">;

/** Returns the columns that make a webhook depend on the credential of a caller. */
export function dependenceOf(actor: Pick<Actor, "grant" | "session" | "keyId">): { dependsOn: string | null; credentialId: SQL | null } {
	const { grant, session } = actor;
	return {
		dependsOn: grant?.id ?? keyBehind(actor),
		credentialId: session === null ? null : sql`(select credential_id from sessions where hash = ${session.hash})`,
	};
}

/**
 * Ends the active webhooks that a condition on their columns selects. Before its next attempt, each webhook's object cancels what is
 * pending.
 */
export function endWebhooks({ db, clock }: Store, condition: SQL): Statement {
	return db.statement(sql`update webhooks set active = 0, inactive_reason = 'revoked', ended_at = ${clock.now()}
		where active = 1 and (${condition})`);
}

/**
 * Makes webhooks depend on another credential, so that they outlive the earlier one. Must run before the statement that ends the earlier
 * credential.
 *
 * @param from Selects the ids of keys or grants in a column `id`.
 */
export function handOverWebhooks({ db }: Store, from: SQL, to: ReturnType<typeof dependenceOf>): Statement {
	return db.statement(sql`update webhooks set depends_on = ${to.dependsOn}, credential_id = ${to.credentialId}
		where depends_on in (select earlier.id from (${from}) earlier)`);
}

/**
 * Detaches webhooks from keys: if one of these credentials opened the session in which a webhook was created, the webhook no longer ends
 * with that credential's key.
 *
 * @param credentials Selects the ids of the credentials in a column `id`, as sessions have them.
 */
export function confirmWebhooks({ db }: Pick<Deps, "db">, credentials: SQL): Statement {
	return db.statement(
		sql`update webhooks set depends_on = null where credential_id in (select confirmed.id from (${credentials}) confirmed)`,
	);
}

/**
 * Reads the ids of an agent's webhooks that have ended with their credentials since a time, in milliseconds since the epoch, oldest first.
 */
export function selectEndedOf(deps: Pick<Deps, "db">, { agentId, since }: { agentId: string; since: number }): Promise<string[]> {
	return selectEnded(deps, sql`agent_id = ${agentId} and ended_at >= ${since}`);
}

/** Reads the ids of the webhooks that have ended with a key or grant, oldest first. */
export function selectEndedWith(deps: Pick<Deps, "db">, credentialId: string): Promise<string[]> {
	return selectEnded(deps, sql`depends_on = ${credentialId}`);
}

async function selectEnded({ db }: Pick<Deps, "db">, condition: SQL): Promise<string[]> {
	const rows = await db.query.all<{ id: string }>(
		sql`select id from webhooks where inactive_reason = 'revoked' and (${condition}) order by id`,
	);
	return rows.map(({ id }) => id);
}
