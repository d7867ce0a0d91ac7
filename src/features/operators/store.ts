import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { operatorTokens, operatorUsage } from "../../db/schema/operators.ts";
import type { Deps } from "../../ports/deps.ts";

export type OperatorTokenRow = typeof operatorTokens.$inferSelect;

export async function countActiveTokens(deps: Deps, holderId: string): Promise<number> {
	return deps.db.query.$count(operatorTokens, and(eq(operatorTokens.holderId, holderId), sql`revoked_at is null`));
}

/** A holder's active tokens, newest first, with the month's use of each. */
export async function selectActiveTokens(deps: Deps, holderId: string, month: string) {
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

/** Revokes an active token of this holder. Returns false when there was none. */
export async function revokeActiveToken(
	deps: Deps,
	{ tokenId, holderId, now }: { tokenId: string; holderId: string; now: number },
): Promise<boolean> {
	const revoked = await deps.db.query
		.update(operatorTokens)
		.set({ revokedAt: now })
		.where(and(eq(operatorTokens.id, tokenId), eq(operatorTokens.holderId, holderId), isNull(operatorTokens.revokedAt)))
		.returning({ id: operatorTokens.id });
	return revoked.length > 0;
}
