import { type SQL, sql } from "drizzle-orm";
import { guard } from "../../../db/commit.ts";
import { endStanding } from "../../../db/credential-ends.ts";
import { apiKeys } from "../../../db/schema/agents.ts";
import { handOverWebhooks } from "../../../db/webhook-ends.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

export function insertKey(deps: Deps, row: typeof apiKeys.$inferInsert): Statement {
	return deps.db.query.insert(apiKeys).values(row);
}

/** Makes the commit fail unless the agent has fewer than `max` active keys. */
export function guardActiveKeyCount(deps: Deps, agentId: string, max: number): Statement {
	return guard(deps.db, sql`(select count(*) from api_keys where agent_id = ${agentId} and revoked_at is null) < ${max}`);
}

/** Makes the commit fail unless the key is active. */
export function guardKeyActive(deps: Deps, keyId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from api_keys where id = ${keyId} and revoked_at is null)`);
}

/** Ends everything that was created or opened with these keys. Must run before the statement that revokes the keys. */
function endWithKeys(deps: Deps, keys: SQL, revokedIn: string | null = null): Statement[] {
	return [...deps.holdings.flatMap((holding) => holding.endWithKeys?.(deps, keys, revokedIn) ?? []), ...endStanding(deps, keys)];
}

/** Revokes an active key of this agent. If the key is not active, makes the commit fail. */
export function deactivateKey(
	deps: Deps,
	{ keyId, agentId, now, revokedIn }: { keyId: string; agentId: string; now: number; revokedIn: string | null },
): Statement[] {
	const isActive = sql`id = ${keyId} and agent_id = ${agentId} and revoked_at is null`;
	return [
		guard(deps.db, sql`exists (select 1 from api_keys where ${isActive})`),
		...endWithKeys(deps, sql`select ${keyId} as id`, revokedIn),
		deps.db.query.update(apiKeys).set({ revokedAt: now }).where(isActive),
	];
}

/** Makes the commit fail unless exactly these keys of the agent are active. */
export function guardActiveKeys(deps: Deps, agentId: string, keyIds: readonly string[]): Statement {
	const active = sql`select id from api_keys where agent_id = ${agentId} and revoked_at is null`;
	const ids = sql`select value from json_each(${JSON.stringify(keyIds)})`;
	return guard(deps.db, sql`not exists (${active} except ${ids}) and not exists (${ids} except ${active})`);
}

/** Revokes every active key of an agent except one. */
export function deactivateOtherKeys(
	deps: Deps,
	{ agentId, keptKeyId, now }: { agentId: string; keptKeyId: string; now: number },
): Statement[] {
	const isOther = sql`agent_id = ${agentId} and id <> ${keptKeyId} and revoked_at is null`;
	return [
		...endWithKeys(deps, sql`select id from api_keys where ${isOther}`),
		deps.db.query.update(apiKeys).set({ revokedAt: now }).where(isOther),
	];
}

/** Makes the webhooks that depend on this active key depend on another credential instead. Must run before {@link deactivateKey}. */
export function handOverWebhooksOf(
	deps: Deps,
	{ keyId, agentId }: { readonly keyId: string; readonly agentId: string },
	successor: Parameters<typeof handOverWebhooks>[2],
): Statement {
	return handOverWebhooks(
		deps,
		sql`select id from api_keys where id = ${keyId} and agent_id = ${agentId} and revoked_at is null`,
		successor,
	);
}
