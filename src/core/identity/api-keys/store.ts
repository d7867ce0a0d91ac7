import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { activeKeyByHash } from "../../../db/active-keys.ts";
import { isSuspended } from "../../../db/parties.ts";
import { prepareRead } from "../../../db/prepared.ts";
import { agents, apiKeys } from "../../../db/schema/agents.ts";
import { operatorTokens } from "../../../db/schema/operators.ts";
import type { Deps } from "../../../ports/deps.ts";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

const readActiveKey = prepareRead((query) => activeKeyByHash(query, sql.placeholder("hash")));

export async function findActiveKey(deps: Deps, hash: string) {
	const [[row]] = await deps.db.read(readActiveKey({ hash }));
	return row ?? null;
}

/** Reads an active key with its agent, and the ids of all active keys of that agent, in one batch. */
export async function findKeyHolder(deps: Deps, hash: string) {
	const agentId = sql`(select agent_id from api_keys where hash = ${hash})`;
	const [[row], keys] = await deps.db.query.batch([
		activeKeyByHash(deps.db.query, hash),
		deps.db.query
			.select({ id: apiKeys.id })
			.from(apiKeys)
			.where(and(eq(apiKeys.agentId, agentId), sql`revoked_at is null`)),
	]);
	return row === undefined ? null : { ...row, activeKeyIds: keys.map(({ id }) => id) };
}

export async function selectActiveKeys(deps: Deps, agentId: string): Promise<ApiKeyRow[]> {
	return deps.db.query
		.select()
		.from(apiKeys)
		.where(and(eq(apiKeys.agentId, agentId), sql`revoked_at is null`))
		.orderBy(desc(apiKeys.id));
}

/**
 * Returns the id of the agent that a signed URL acts for. Returns null if the agent is suspended or the URL's credential has ended. `id` is
 * the id of a key, the hash of a session, or the id of the agent itself.
 */
export async function findHolder({ db, clock }: Deps, id: string): Promise<string | null> {
	const ofKey = sql`select agent_id from api_keys where id = ${id} and revoked_at is null`;
	const ofSession = sql`select coalesce(u.agent_id, k.agent_id) from sessions s
		left join users u on u.id = s.user_id left join api_keys k on k.id = s.key_id and k.revoked_at is null
		where s.hash = ${id} and s.expires_at > ${clock.now()}`;
	const [row] = await db.query
		.select({ agentId: agents.id })
		.from(agents)
		.leftJoin(operatorTokens, eq(operatorTokens.id, agents.operatorTokenId))
		.where(
			and(
				sql`${agents.id} = coalesce((${ofKey}), (${ofSession}), ${id})`,
				isNull(operatorTokens.revokedAt),
				sql`not ${isSuspended(sql`${agents.suspendedAt}`, sql`${operatorTokens.agentId}`)}`,
			),
		);
	return row?.agentId ?? null;
}

export async function saveLastUse(
	{ db }: Pick<Deps, "db">,
	{ keyId, now }: { readonly keyId: string; readonly now: number },
): Promise<void> {
	await db.query.update(apiKeys).set({ lastUsedAt: now }).where(eq(apiKeys.id, keyId));
}
