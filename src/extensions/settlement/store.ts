import { and, eq, ne, sql } from "drizzle-orm";
import type { DealRow } from "../../core/competition/deals/store.ts";
import { agents, walletColumns } from "../../db/schema/agents.ts";
import { deals } from "../../db/schema/deals.ts";
import type { PayoutChain } from "../../domain/chains.ts";
import type { Deps } from "../../ports/deps.ts";

/** Reads the poster's wallet, and whether the transaction is the verified payment of another deal. */
export async function findPayer(
	deps: Deps,
	{ id, companyId }: Pick<DealRow, "id" | "companyId">,
	{ chain, transaction }: { readonly chain: PayoutChain; readonly transaction: string },
) {
	const { walletProof } = agents;
	const isPayment = and(eq(deals.paymentTransaction, transaction), eq(deals.paidChain, chain), sql`payment_verified = 1`, ne(deals.id, id));
	const [[wallet], others] = await deps.db.query.batch([
		deps.db.query
			.select({ ...walletColumns, walletProof })
			.from(agents)
			.where(eq(agents.id, companyId)),
		deps.db.query.select({ id: deals.id }).from(deals).where(isPayment),
	]);
	return { wallet: wallet ?? null, isTransactionTaken: others.length > 0 };
}

/**
 * Claims payments that are due to be looked up, and counts the look-ups. A payment is due again at `claimUntil`, so that another consumer
 * looks it up if this one dies.
 */
export async function claimChecks(
	deps: Deps,
	{ now, claimUntil, limit }: { readonly now: number; readonly claimUntil: number; readonly limit: number },
): Promise<DealRow[]> {
	return deps.db.query
		.update(deals)
		.set({ checkDueAt: claimUntil, checks: sql`checks + 1` })
		.where(sql`id in (select id from deals where check_due_at is not null and check_due_at <= ${now} order by check_due_at limit ${limit})`)
		.returning();
}
