// A deal's transaction is looked up when the poster reports it, and by a sweep until the chain has settled it.

import type { DealRow } from "../../core/competition/deals/store.ts";
import { provenAddress } from "../../core/identity/wallet/rules.ts";
import { commit, unlessStale } from "../../db/commit.ts";
import { isEvmAddress } from "../../domain/chains.ts";
import { dueUnits, type HistoryEntry, ownUnits } from "../../fields/settlement.ts";
import { MINUTE_MS } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import { recordUpdate } from "./move-deal.ts";
import * as rules from "./rules.ts";
import { guardDeal, updateDeal } from "./statements.ts";
import { claimChecks, findPayer } from "./store.ts";
import { findUsdcPayment, formatUsdc, type PaymentFinding } from "./usdc-payment.ts";

/** Looks a payment up on its chain. Returns what that changes in its deal. */
export async function lookUpPayment(
	deps: Deps,
	deal: DealRow,
	now: number,
): Promise<{
	/** The chain shows something else than this payment. */
	readonly contradiction: (PaymentFinding & { readonly kind: "contradicted" }) | null;
	readonly change: Partial<Pick<DealRow, "paymentVerified" | "paymentNote" | "checkDueAt" | "checks">>;
	readonly entries: readonly HistoryEntry[];
}> {
	const finding = await findPayment(deps, deal);
	const { checks } = deal;
	if (typeof finding === "string") return { contradiction: null, change: { paymentNote: finding, checkDueAt: null }, entries: [] };
	if (finding.kind === "paid") {
		const note = `${formatUsdc(finding.units)} USDC on ${deal.paidChain}, with ${finding.confirmations} confirmations.`;
		return {
			contradiction: null,
			change: { paymentVerified: true, paymentNote: null, checkDueAt: null, checks },
			entries: [{ at: now, actor: "platform", action: "payment_verified", note }],
		};
	}
	const plan = rules.planCheck({ reason: finding.reason, checks, paidAt: deal.paidAt ?? now, now });
	return { contradiction: finding.kind === "contradicted" ? finding : null, change: { ...plan, checks }, entries: [] };
}

/** Returns a sentence for a payment that cannot be looked up at all. */
async function findPayment(deps: Deps, deal: DealRow): Promise<PaymentFinding | string> {
	const { paidChain: chain, paidAddress: address, paymentTransaction: transaction } = deal;
	if (deal.paidMethod !== "onchain_usdc" || chain === null || !isEvmAddress(address)) {
		return "The platform can look up only payments in USDC on a chain.";
	}
	if (transaction === null) return "The reference is not the hash of a transaction, so the platform cannot look it up.";
	const { wallet, isTransactionTaken } = await findPayer(deps, deal, { chain, transaction });
	if (isTransactionTaken) {
		return { kind: "contradicted", reason: "This transaction pays another deal. Each transaction pays one deal.", isSettled: true };
	}
	const finding = await findUsdcPayment(deps, {
		...{ chain, transaction, address, notBefore: deal.createdAt },
		...{ units: dueUnits(deal), exactUnits: ownUnits(deal), payer: wallet === null ? null : provenAddress(wallet, chain) },
	});
	return finding ?? `This deployment cannot read the chain ${chain}, so it does not look the transaction up.`;
}

/** A sweep looks up at most this number of payments. */
const SWEEP_LIMIT = 20;
/** Each look-up needs up to four connections, of which a Worker has six. */
const AT_ONCE = 2;
/** The claim is longer than any look-up takes. A payment whose consumer died is due again afterwards. */
const CHECK_CLAIM_MS = 5 * MINUTE_MS;

/** Looks up the payments that are due. */
export async function sweepPayments(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	for (let claimed = 0; claimed < SWEEP_LIMIT; claimed += AT_ONCE) {
		// Earlier look-ups can take minutes if nodes are slow, and each claim needs its full time.
		const due = await claimChecks(deps, { now, claimUntil: deps.clock.now() + CHECK_CLAIM_MS, limit: AT_ONCE });
		await Promise.all(due.map((deal) => settlePayment(deps, deal)));
		if (due.length < AT_ONCE) return;
	}
}

/** Looks up one payment. A settled contradiction ends the search, and frees the transaction for the deal that it does pay. */
async function settlePayment(deps: Deps, deal: DealRow): Promise<void> {
	const now = deps.clock.now();
	const { contradiction, change, entries } = await lookUpPayment(deps, deal, now);
	const isRefuted = contradiction?.isSettled === true;
	const refuted = { paymentVerified: false, paymentNote: contradiction?.reason ?? null, paymentTransaction: null, checkDueAt: null };
	const after = { ...deal, ...change, ...(isRefuted ? refuted : {}) };
	const { paymentVerified, paymentNote, paymentTransaction, checkDueAt } = after;
	const finding = [
		guardDeal(deps, deal),
		updateDeal(deps, deal.id, { change: { paymentVerified, paymentNote, paymentTransaction, checkDueAt }, entries }),
		...(paymentVerified === null ? [] : [recordUpdate(deps, after, "platform")]),
	];
	// When another consumer has looked since, or a party has taken a step, the payment is due again at the end of the claim.
	await unlessStale(() => commit(deps.db, finding));
}
