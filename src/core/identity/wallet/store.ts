import { and, eq, type SQL, sql } from "drizzle-orm";
import { dealFields } from "#fields";
import { commit, unlessStale } from "../../../db/commit.ts";
import { agents, type WalletRow, walletColumns } from "../../../db/schema/agents.ts";
import { isEvmAddress, type PayoutChain } from "../../../domain/chains.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { PayoutMethod, WalletProof } from "./rules.ts";

export async function findWallet(deps: Deps, agentId: string): Promise<WalletRow | null> {
	const [row] = await deps.db.query.select(walletColumns).from(agents).where(eq(agents.id, agentId));
	return row ?? null;
}

/**
 * Replaces a wallet. The proof stays valid if the address is the same. For a contract, the chain must be the same too, because on another
 * chain, the contract at that address may belong to someone else. Open deals show the new wallet from then on, and keep the old one in
 * their history.
 *
 * @throws AppError `CONFLICT` if a deal has reached its maximum number of wallets.
 */
export async function saveWallet(
	deps: Deps,
	agentId: string,
	{
		now,
		...change
	}: {
		readonly payoutMethod: PayoutMethod;
		readonly payoutAddress: string | null;
		readonly payoutChain: PayoutChain | null;
		/** The current time, in milliseconds since the epoch. */
		readonly now: number;
	},
): Promise<WalletRow | null> {
	const isProofKept = sql`${isAddress(change.payoutAddress)} and (wallet_proof is 'account' or payout_chain is ${change.payoutChain})`;
	const proof = {
		walletVerifiedAt: sql<number | null>`case when ${isProofKept} then wallet_verified_at end`,
		walletProof: sql<WalletProof | null>`case when ${isProofKept} then wallet_proof end`,
	};
	const update = deps.db.query
		.update(agents)
		.set({ ...change, ...proof })
		.where(eq(agents.id, agentId));
	const { payoutAddress: address, payoutChain: chain } = change;
	const isChanged = await unlessStale(() =>
		commit(deps.db, [update, ...dealFields.ofChangedWallet(deps, agentId, { address, chain, now })]),
	);
	if (!isChanged) throw new AppError("CONFLICT", { message: TOO_MANY_WALLETS });
	return findWallet(deps, agentId);
}

const TOO_MANY_WALLETS =
	"One of your open deals has reached its maximum number of wallets or wallet changes. Keep the wallet that the deal shows now, or end the deal first. GET /api/v1/deals lists your deals.";

/** Builds the condition that the stored address is this one. Ignores the case of EVM addresses. */
function isAddress(address: string | null): SQL {
	return isEvmAddress(address) ? sql`lower(payout_address) = ${address.toLowerCase()}` : sql`payout_address is ${address}`;
}

/** Records that the agent has proved its wallet, and returns the wallet. Returns null if the wallet has changed since it was read. */
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
