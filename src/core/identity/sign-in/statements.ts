import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { guard } from "../../../db/commit.ts";
import { noteEnds } from "../../../db/credential-ends.ts";
import { agents } from "../../../db/schema/agents.ts";
import { operatorTokens } from "../../../db/schema/operators.ts";
import { sessions, users } from "../../../db/schema/users.ts";
import { endWebhooks } from "../../../db/webhook-ends.ts";
import type { Tier } from "../../../domain/actor.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

export function insertUser(deps: Deps, row: typeof users.$inferInsert): Statement {
	return deps.db.query.insert(users).values(row);
}

export function insertSession(deps: Deps, row: typeof sessions.$inferInsert): Statement {
	return deps.db.query.insert(sessions).values(row);
}

export function endSession(deps: Deps, hash: string): Statement[] {
	return endSessions(deps, sql`hash = ${hash}`);
}

/** Ends the sessions that match a condition on their columns, and the streams that they opened. */
export function endSessions(deps: Deps, condition: SQL): Statement[] {
	return [noteEnds(deps, sql`select hash as id from sessions where ${condition}`), deps.db.query.delete(sessions).where(condition)];
}

/** Ends all sessions of a credential except the newest `kept`, so that a program that opens one per request does not fill the table. */
export function endOldSessions(
	deps: Deps,
	{ column, id, kept }: { readonly column: "key_id" | "credential_id"; readonly id: string; readonly kept: number },
): Statement[] {
	const isOpened = sql`${sql.identifier(column)} = ${id}`;
	return endSessions(
		deps,
		sql`${isOpened} and hash not in (select hash from sessions where ${isOpened} order by created_at desc, hash limit ${kept})`,
	);
}

/**
 * Makes the commit fail unless the agent is anonymous and unclaimed. A human with the agent's own id, whom adding a passkey created, does
 * not count as a claim. `isClaimable` in `rules.ts` is the same rule.
 */
export function guardUnclaimed(deps: Deps, agentId: string): Statement {
	return guard(
		deps.db,
		sql`exists (select 1 from agents where id = ${agentId} and tier = 'anonymous' and (user_id is null or user_id = id))`,
	);
}

export function giveAgent(
	deps: Deps,
	{ agentId, userId, tier }: { readonly agentId: string; readonly userId: string; readonly tier: Tier },
): Statement {
	return deps.db.query.update(agents).set({ tier, userId }).where(eq(agents.id, agentId));
}

/**
 * Deletes the human that adding a passkey created with the agent's own id. Agents that this human had claimed become unclaimed again. Must
 * run after the statements of `endWithClaim`, because those find their rows by the human's id.
 */
export function endHuman(deps: Deps, agentId: string): Statement[] {
	return [
		...endSessions(deps, sql`user_id = ${agentId}`),
		deps.db.statement(sql`delete from users where id = ${agentId} and issuer is null`),
		deps.db.statement(sql`update agents set user_id = null where user_id = ${agentId}`),
	];
}

/** Ends an agent's webhooks except those that depend on this key. */
export function endOtherWebhooks(deps: Deps, { agentId, keptKeyId }: { agentId: string; keptKeyId: string }): Statement {
	return endWebhooks(deps, sql`agent_id = ${agentId} and depends_on is not ${keptKeyId}`);
}

/**
 * Moves an agent's operator tokens to the human who claimed it. The human's sessions can then manage the tokens, which count toward the
 * human's limit.
 */
export function giveOperatorTokens(deps: Deps, { agentId, userId }: { agentId: string; userId: string }): Statement {
	const isAgents = and(eq(operatorTokens.holderId, agentId), isNull(operatorTokens.revokedAt));
	return deps.db.query.update(operatorTokens).set({ holderId: userId }).where(isAgents);
}
