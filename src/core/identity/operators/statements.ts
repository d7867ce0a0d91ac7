import { and, eq, type SQL, sql } from "drizzle-orm";
import { guard } from "../../../db/commit.ts";
import { noteEnds } from "../../../db/credential-ends.ts";
import { operatorTokens, operatorUnits } from "../../../db/schema/operators.ts";
import { endWebhooks } from "../../../db/webhook-ends.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { TokenReach } from "./store.ts";

export function insertToken(deps: Deps, row: typeof operatorTokens.$inferInsert): Statement {
	return deps.db.query.insert(operatorTokens).values(row);
}

/** Makes the commit fail unless the holder has fewer than `max` active tokens. */
export function guardActiveTokenCount(deps: Deps, holderId: string, max: number): Statement {
	return guard(deps.db, sql`(select count(*) from operator_tokens where holder_id = ${holderId} and revoked_at is null) < ${max}`);
}

/** Makes the commit fail unless the agent still has this tier and belongs to this holder. */
export function guardCreator(deps: Deps, { agentId, tier, holderId }: { agentId: string; tier: string; holderId: string }): Statement {
	return guard(
		deps.db,
		sql`exists (select 1 from agents where id = ${agentId} and tier = ${tier} and coalesce(user_id, id) = ${holderId})`,
	);
}

/** Makes the commit fail if the token is revoked. */
export function guardTokenActive(deps: Deps, tokenId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from operator_tokens where id = ${tokenId} and revoked_at is null)`);
}

/**
 * Revokes an active token that the caller can manage, and ends the webhooks of its children. Makes the commit fail if there is no such
 * token.
 */
export function deactivateToken(
	deps: Deps,
	{ tokenId, holderId, agentId, now }: TokenReach & { tokenId: string; now: number },
): Statement[] {
	const isOfAgent = agentId === null ? sql`true` : sql`agent_id = ${agentId}`;
	const isActive = sql`id = ${tokenId} and holder_id = ${holderId} and ${isOfAgent} and revoked_at is null`;
	return [
		guard(deps.db, sql`exists (select 1 from operator_tokens where ${isActive})`),
		noteEnds(deps, sql`select ${tokenId} as id`),
		endWebhooks(deps, sql`agent_id in (select id from agents where operator_token_id = ${tokenId})`),
		deps.db.query.update(operatorTokens).set({ revokedAt: now }).where(isActive),
	];
}

/** Updates the time of a token's last use, unless the stored time is later than `staleBefore`. */
export function updateTokenLastUse(
	deps: Deps,
	{ tokenId, now, staleBefore }: { readonly tokenId: string; readonly now: number; readonly staleBefore: number },
): Statement {
	return deps.db.query
		.update(operatorTokens)
		.set({ lastUsedAt: now })
		.where(and(eq(operatorTokens.id, tokenId), sql`(last_used_at is null or last_used_at <= ${staleBefore})`));
}

/** Uses one submission of a token's monthly quota. If none is left, the constraint `operator_month_within_quota` makes the batch fail. */
function takeMonthUnit(deps: Deps, { operatorTokenId, month }: { operatorTokenId: string; month: string }): Statement {
	return deps.db.statement(sql`
		insert into operator_usage (operator_token_id, month, used, quota)
		select id, ${month}, 1, monthly_quota from operator_tokens where id = ${operatorTokenId}
		on conflict (operator_token_id, month) do update set used = used + 1`);
}

/** Uses one submission of a child's share. If none is left, the constraint `operator_child_within_share` makes the batch fail. */
function takeChildUnit(
	deps: Deps,
	{ operatorTokenId, agentId, month }: { readonly agentId: string; readonly month: string } & { operatorTokenId: string },
): Statement {
	return deps.db.statement(sql`
		insert into operator_child_usage (agent_id, month, used, share)
		select ${agentId}, ${month}, 1, max(1, monthly_quota * child_quota_pct / 100) from operator_tokens where id = ${operatorTokenId}
		on conflict (agent_id, month) do update set used = used + 1`);
}

/**
 * Takes a unit of a token's monthly quota, and of the child's share of it, for a submission. If no unit is left, or if the submission
 * already has one, a constraint makes the batch fail.
 */
export function takeUnit(deps: Deps, unit: Omit<typeof operatorUnits.$inferInsert, "isConfirmed">): Statement[] {
	return [deps.db.query.insert(operatorUnits).values(unit), takeMonthUnit(deps, unit), takeChildUnit(deps, unit)];
}

/** Gives back the units of submissions. Idempotent: does nothing for submissions without a unit. */
export function giveUnitsBack(deps: Pick<Deps, "db">, submissionIds: readonly string[]): Statement[] {
	const isReturned = sql`u.id in (select value from json_each(${JSON.stringify(submissionIds)}))`;
	const returned = (isOfRow: SQL) => sql`(select count(*) from operator_units u where ${isReturned} and ${isOfRow})`;
	const ofMonth = sql`u.operator_token_id = operator_usage.operator_token_id and u.month = operator_usage.month`;
	const ofShare = sql`u.agent_id = operator_child_usage.agent_id and u.month = operator_child_usage.month`;
	return [
		deps.db.statement(sql`update operator_usage set used = used - ${returned(ofMonth)}
			where (operator_token_id, month) in (select u.operator_token_id, u.month from operator_units u where ${isReturned})`),
		deps.db.statement(sql`update operator_child_usage set used = used - ${returned(ofShare)}
			where (agent_id, month) in (select u.agent_id, u.month from operator_units u where ${isReturned})`),
		deps.db.statement(sql`delete from operator_units as u where ${isReturned}`),
	];
}
