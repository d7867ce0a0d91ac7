import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { operatorChildUsage, operatorTokens, operatorUsage } from "../../db/schema/operators.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export type OperatorTokenRow = typeof operatorTokens.$inferSelect;

export function insertToken(deps: Deps, row: typeof operatorTokens.$inferInsert): Statement {
	return deps.db.query.insert(operatorTokens).values(row);
}

export async function countActiveTokens(deps: Deps, holderId: string): Promise<number> {
	return deps.db.query.$count(operatorTokens, and(eq(operatorTokens.holderId, holderId), sql`revoked_at is null`));
}

export function guardActiveTokenCount(deps: Deps, holderId: string, max: number): Statement {
	return guard(deps.db, sql`(select count(*) from operator_tokens where holder_id = ${holderId} and revoked_at is null) < ${max}`);
}

/** A holder's active tokens, newest first, with what a month has used of each. */
export function selectActiveTokens(deps: Deps, holderId: string, month: string) {
	return deps.db.query
		.select({
			id: operatorTokens.id,
			label: operatorTokens.label,
			prefix: operatorTokens.prefix,
			monthlyQuota: operatorTokens.monthlyQuota,
			childQuotaPct: operatorTokens.childQuotaPct,
			lastUsedAt: operatorTokens.lastUsedAt,
			createdAt: operatorTokens.createdAt,
			used: operatorUsage.used,
		})
		.from(operatorTokens)
		.leftJoin(operatorUsage, and(eq(operatorUsage.operatorTokenId, operatorTokens.id), eq(operatorUsage.month, month)))
		.where(and(eq(operatorTokens.holderId, holderId), sql`revoked_at is null`))
		.orderBy(desc(operatorTokens.id));
}

export async function findActiveTokenByHash(deps: Deps, hash: string): Promise<string | null> {
	const [row] = await deps.db.query
		.select({ id: operatorTokens.id })
		.from(operatorTokens)
		.where(and(eq(operatorTokens.hash, hash), isNull(operatorTokens.revokedAt)));
	return row?.id ?? null;
}

/** Revokes an active token of this holder; the ids of what it revoked. */
export function revokeActiveToken(deps: Deps, { tokenId, holderId, now }: { tokenId: string; holderId: string; now: number }) {
	return deps.db.query
		.update(operatorTokens)
		.set({ revokedAt: now })
		.where(and(eq(operatorTokens.id, tokenId), eq(operatorTokens.holderId, holderId), isNull(operatorTokens.revokedAt)))
		.returning({ id: operatorTokens.id });
}

export function guardTokenActive(deps: Deps, tokenId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from operator_tokens where id = ${tokenId} and revoked_at is null)`);
}

/** Notes a token's last use, unless what is noted is newer than `staleBefore`. */
export function noteTokenUse(deps: Deps, { tokenId, now, staleBefore }: { tokenId: string; now: number; staleBefore: number }): Statement {
	return deps.db.query
		.update(operatorTokens)
		.set({ lastUsedAt: now })
		.where(and(eq(operatorTokens.id, tokenId), sql`(last_used_at is null or last_used_at <= ${staleBefore})`));
}

interface Unit {
	readonly agentId: string;
	/** `2026-11`. */
	readonly month: string;
}

/** Takes one of a token's submissions of a month; the constraint `operator_month_within_quota` undoes the batch when none is left. */
export function claimMonthUnit(deps: Deps, { operatorTokenId, month }: { operatorTokenId: string; month: string }): Statement {
	return deps.db.statement(sql`
		insert into operator_usage (operator_token_id, month, used, quota)
		select id, ${month}, 1, monthly_quota from operator_tokens where id = ${operatorTokenId}
		on conflict (operator_token_id, month) do update set used = used + 1`);
}

/** Takes one of a child's own share; the constraint `operator_child_within_share` undoes the batch when none is left. */
export function claimChildUnit(deps: Deps, { operatorTokenId, agentId, month }: Unit & { operatorTokenId: string }): Statement {
	return deps.db.statement(sql`
		insert into operator_child_usage (agent_id, month, used, share)
		select ${agentId}, ${month}, 1, max(1, monthly_quota * child_quota_pct / 100) from operator_tokens where id = ${operatorTokenId}
		on conflict (agent_id, month) do update set used = used + 1`);
}

/** Gives a unit of a month back; nothing for an agent that is no child. */
export function returnUnits(deps: Deps, { agentId, month }: Unit): Statement[] {
	const operatorTokenId: SQL = sql`(select operator_token_id from agents where id = ${agentId})`;
	const isUsed = sql`used > 0`;
	return [
		deps.db.query
			.update(operatorUsage)
			.set({ used: sql`used - 1` })
			.where(and(eq(operatorUsage.operatorTokenId, operatorTokenId), eq(operatorUsage.month, month), isUsed)),
		deps.db.query
			.update(operatorChildUsage)
			.set({ used: sql`used - 1` })
			.where(and(eq(operatorChildUsage.agentId, agentId), eq(operatorChildUsage.month, month), isUsed)),
	];
}
