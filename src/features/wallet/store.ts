import { and, eq, type SQL, sql } from "drizzle-orm";
import { agents } from "../../db/schema/agents.ts";
import type { Deps } from "../../ports/deps.ts";
import { isEvmAddress, type PayoutChain, type PayoutMethod } from "./rules.ts";

const walletColumns = {
	payoutMethod: agents.payoutMethod,
	payoutAddress: agents.payoutAddress,
	payoutChain: agents.payoutChain,
	walletVerifiedAt: agents.walletVerifiedAt,
};

export type WalletRow = Pick<typeof agents.$inferSelect, keyof typeof walletColumns>;

export async function findWallet(deps: Deps, agentId: string): Promise<WalletRow | null> {
	const [row] = await deps.db.query.select(walletColumns).from(agents).where(eq(agents.id, agentId));
	return row ?? null;
}

interface WalletChange {
	readonly payoutMethod: PayoutMethod;
	readonly payoutAddress: string | null;
	readonly payoutChain: PayoutChain | null;
}

/** Replaces a wallet. One statement decides whether the address stayed the same, so no proof survives a change. */
export async function saveWallet(deps: Deps, agentId: string, change: WalletChange): Promise<WalletRow | null> {
	const kept = sql<number | null>`case when ${isAddress(change.payoutAddress)} then wallet_verified_at end`;
	const [row] = await deps.db.query
		.update(agents)
		.set({ ...change, walletVerifiedAt: kept })
		.where(eq(agents.id, agentId))
		.returning(walletColumns);
	return row ?? null;
}

/** Whether the stored address is this one: of EVM addresses the case does not matter. */
function isAddress(address: string | null): SQL {
	return isEvmAddress(address) ? sql`lower(payout_address) = ${address.toLowerCase()}` : sql`payout_address is ${address}`;
}

/** Records a proof while the wallet still has the proven address. Returns null when the address has changed since. */
export async function markVerified(deps: Deps, agentId: string, proof: { address: string; now: number }): Promise<WalletRow | null> {
	const [row] = await deps.db.query
		.update(agents)
		.set({ walletVerifiedAt: proof.now })
		.where(and(eq(agents.id, agentId), isAddress(proof.address)))
		.returning(walletColumns);
	return row ?? null;
}
