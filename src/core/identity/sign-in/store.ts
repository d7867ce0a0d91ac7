import { and, eq, gt, sql } from "drizzle-orm";
import { activeKeyByHash } from "../../../db/active-keys.ts";
import { isAgentSuspended } from "../../../db/parties.ts";
import { agents } from "../../../db/schema/agents.ts";
import { sessions, users } from "../../../db/schema/users.ts";
import { switchesSeen } from "../../../db/seen-switches.ts";
import type { Deps } from "../../../ports/deps.ts";

export async function findUserId(deps: Deps, { issuer, subject }: { issuer: string; subject: string }): Promise<string | null> {
	const [row] = await deps.db.query
		.select({ id: users.id })
		.from(users)
		.where(and(eq(users.issuer, issuer), eq(users.subject, subject)));
	return row?.id ?? null;
}

/** The columns of a human and the human's own agent. */
const human = {
	userId: sql<string>`${users.id}`.as("session_user_id"),
	agentId: sql<string>`${agents.id}`.as("session_agent_id"),
	displayName: agents.displayName,
	tier: agents.tier,
	role: agents.role,
	isSuspended: isAgentSuspended(sql`${agents.id}`).as("is_suspended"),
};

/** Finds a session that has not ended, with its human or the key that opened it, in one batch. */
export async function findActiveSession(deps: Deps, { hash, now }: { hash: string; now: number }) {
	const isActive = and(eq(sessions.hash, hash), gt(sessions.expiresAt, now));
	const [[session], [ofHuman], [ofKey]] = await deps.db.query.batch([
		deps.db.query.select({ expiresAt: sessions.expiresAt, dependsOnKey: sessions.dependsOnKey }).from(sessions).where(isActive),
		deps.db.query
			.select({ ...human, switchesSeen })
			.from(sessions)
			.innerJoin(users, eq(users.id, sessions.userId))
			.innerJoin(agents, eq(agents.id, users.agentId))
			.where(isActive),
		activeKeyByHash(deps.db.query, sql`(select hash from api_keys where id = (select key_id from sessions where hash = ${hash}))`),
	]);
	return session === undefined ? null : { ...session, human: ofHuman ?? null, key: ofKey ?? null };
}
