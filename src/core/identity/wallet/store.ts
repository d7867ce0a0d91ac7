import { and, eq, type SQL, sql } from "drizzle-orm";
import { agents, type WalletRow, walletColumns } from "../../../db/schema/agents.ts";
import { isEvmAddress, type PayoutChain } from "../../../domain/chains.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { PayoutMethod, WalletProof } from "./rules.ts";

export async function findWallet(deps: Deps, agentId: string): Promise<WalletRow | null> {
	const [row] = await deps.db.query.select(walletColumns).from(agents).where(eq(agents.id, agentId));
	return row ?? null;
}

/**
 * Replaces a wallet. One statement decides whether the proof still holds: for an account while the address stays the same,
 * for a contract while the chain does too, because the contract at an address elsewhere may be another person's.
 */
export async function saveWallet(
	deps: Deps,
	agentId: string,
	change: { readonly payoutMethod: PayoutMethod; readonly payoutAddress: string | null; readonly payoutChain: PayoutChain | null },
): Promise<WalletRow | null> {
	const isProofKept = sql`${isAddress(change.payoutAddress)} and (wallet_proof is 'account' or payout_chain is ${change.payoutChain})`;
	const kept = {
		walletVerifiedAt: sql<number | null>`case when ${isProofKept} then wallet_verified_at end`,
		walletProof: sql<WalletProof | null>`case when ${isProofKept} then wallet_proof end`,
	};
	const [row] = await deps.db.idempotent
		.update(agents)
		.set({ ...change, ...kept })
		.where(eq(agents.id, agentId))
		.returning(walletColumns);
	return row ?? null;
}

/** Compares with the stored address. The case of EVM addresses does not matter. */
function isAddress(address: string | null): SQL {
	return isEvmAddress(address) ? sql`lower(payout_address) = ${address.toLowerCase()}` : sql`payout_address is ${address}`;
}

/** Records a proof while the wallet is unchanged. Returns null when it has changed since. */
export async function markVerified(
	deps: Deps,
	agentId: string,
	{
		address,
		chain,
		proof,
		now,
	}: { readonly address: string; readonly chain: PayoutChain | null; readonly proof: WalletProof; readonly now: number },
): Promise<WalletRow | null> {
	const isChain = proof === "account" ? undefined : sql`payout_chain is ${chain}`;
	const [row] = await deps.db.idempotent
		.update(agents)
		.set({ walletVerifiedAt: now, walletProof: proof })
		.where(and(eq(agents.id, agentId), isAddress(address), isChain))
		.returning(walletColumns);
	return row ?? null;
}
