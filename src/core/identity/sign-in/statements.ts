import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { guard } from "../../../db/commit.ts";
import { noteEnds } from "../../../db/credential-ends.ts";
import { agents } from "../../../db/schema/agents.ts";
import { operatorTokens } from "../../../db/schema/operators.ts";
import { sessions, users } from "../../../db/schema/users.ts";
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

function endSessions(deps: Deps, condition: SQL): Statement[] {
	return [noteEnds(deps, sql`select hash as id from sessions where ${condition}`), deps.db.query.delete(sessions).where(condition)];
}

/** Ends the oldest sessions of a key, so that a program that opens one for each request does not fill the table. */
export function endOldSessions(deps: Deps, { keyId, kept }: { keyId: string; kept: number }): Statement[] {
	const newest = sql`(select hash from sessions where key_id = ${keyId} order by created_at desc, hash limit ${kept})`;
	return endSessions(deps, sql`key_id = ${keyId} and hash not in ${newest}`);
}

/** The guard holds while the agent is anonymous and has no owner. */
export function guardUnclaimed(deps: Deps, agentId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from agents where id = ${agentId} and tier = 'anonymous' and user_id is null)`);
}

/** Gives an agent to a human. */
export function giveAgent(deps: Deps, { agentId, userId }: { agentId: string; userId: string }): Statement {
	return deps.db.query.update(agents).set({ tier: "verified", userId }).where(eq(agents.id, agentId));
}

/** Puts the tokens that an agent made before it had an owner under that owner's sessions and limit. */
export function giveOperatorTokens(deps: Deps, { agentId, userId }: { agentId: string; userId: string }): Statement {
	const isAgents = and(eq(operatorTokens.holderId, agentId), isNull(operatorTokens.revokedAt));
	return deps.db.query.update(operatorTokens).set({ holderId: userId }).where(isAgents);
}
