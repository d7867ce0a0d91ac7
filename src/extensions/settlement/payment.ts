// A deal's transaction is looked up when the poster reports it, and by a sweep until its block is final.

import type { DealRow } from "../../core/competition/deals/store.ts";
import { provenAddress } from "../../core/identity/wallet/rules.ts";
import { commit, unlessStale } from "../../db/commit.ts";
import { dueUnits, type HistoryEntry, ownUnits, shownWallets } from "../../fields/settlement.ts";
import { MINUTE_MS } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import { recordUpdate } from "./move-deal.ts";
import * as rules from "./rules.ts";
import { guardDeal, updateDeal } from "./statements.ts";
import { claimChecks, findPayer } from "./store.ts";
import { findUsdcPayment, formatUsdc, type PaymentFinding } from "./usdc-payment.ts";

type PaymentChange = Pick<DealRow, "paymentVerified" | "isOnItsWay" | "paymentNote" | "checkDueAt" | "checks"> &
	Pick<DealRow, "seenUnits" | "seenAddress" | "seenChain" | "seenAt">;

/** Looks up a payment on its chain. Returns the changes to its deal. */
export async function lookUpPayment(
	deps: Deps,
	deal: DealRow,
	now: number,
): Promise<{
	/** Why a final block contradicts the payment. Null if it does not. */
	readonly contradiction: string | null;
	readonly change: PaymentChange;
	readonly entries: readonly HistoryEntry[];
}> {
	const finding = await findPayment(deps, deal);
	const { checks } = deal;
	const unseen = { paymentVerified: null, isOnItsWay: false, checkDueAt: null, checks, ...NOT_SEEN };
	if (typeof finding === "string") return { contradiction: null, change: { ...unseen, paymentNote: finding }, entries: [] };
	switch (finding.kind) {
		case "paid": {
			const { units, address, chain, at } = finding.seen;
			const note = `${formatUsdc(units)} USDC to ${address} on ${chain}, in a final block.`;
			const seen = { seenUnits: String(units), seenAddress: address, seenChain: chain, seenAt: at };
			return {
				contradiction: null,
				change: { ...unseen, ...seen, paymentVerified: true, paymentNote: null },
				entries: [{ at: now, actor: "platform", action: "payment_verified", note }],
			};
		}
		case "contradicted":
			return { contradiction: finding.reason, change: { ...unseen, paymentVerified: false, paymentNote: finding.reason }, entries: [] };
		case "on_its_way":
		case "unknown": {
			const isOnItsWay = finding.kind === "on_its_way";
			const plan = rules.planCheck({ reason: finding.reason, isOnItsWay, checks, paidAt: deal.paidAt ?? now, now });
			return { contradiction: null, change: { ...unseen, ...plan }, entries: [] };
		}
	}
}

const NOT_SEEN = { seenUnits: null, seenAddress: null, seenChain: null, seenAt: null };

/** Looks up the payment, or returns why looking it up again would not help. */
async function findPayment(deps: Deps, deal: DealRow): Promise<PaymentFinding | string> {
	const { paymentTransaction: transaction } = deal;
	const wallets = shownWallets(deal);
	if (wallets.length === 0) return "The platform can only look up USDC payments on a blockchain.";
	if (deal.isTest) return "The deal is about a test task, so its payment is not looked up.";
	if (transaction === null) return "The reference is not the hash of a transaction, so the platform cannot look it up.";
	const { wallet, isTransactionTaken } = await findPayer(deps, deal, transaction);
	if (isTransactionTaken) return "This transaction is the verified payment of another deal. Each transaction pays one deal.";
	const finding = await findUsdcPayment(deps, {
		...{ transaction, wallets, notBefore: deal.createdAt, units: dueUnits(deal), exactUnits: ownUnits(deal) },
		payerOn: (chain) => (wallet === null ? null : provenAddress(wallet, chain)),
	});
	if (finding !== null) return finding;
	const chains = [...new Set(wallets.map(({ chain }) => chain))].join(" and ");
	return `This deployment cannot read the chain ${chains}, so it does not look up the transaction.`;
}

/** The maximum number of payments that a sweep looks up. */
const SWEEP_LIMIT = 20;
/** Each lookup needs up to four connections, and a Worker has six. */
const AT_ONCE = 2;
/** Longer than any lookup. If a consumer dies, the payment is due again after this time. */
const CHECK_CLAIM_MS = 5 * MINUTE_MS;

export async function sweepPayments(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	for (let claimed = 0; claimed < SWEEP_LIMIT; claimed += AT_ONCE) {
		// Earlier lookups can take minutes if nodes are slow, and each claim needs its full time.
		const due = await claimChecks(deps, { now, claimUntil: deps.clock.now() + CHECK_CLAIM_MS, limit: AT_ONCE });
		await Promise.all(due.map((deal) => settlePayment(deps, deal)));
		if (due.length < AT_ONCE) return;
	}
}

/**
 * Looks up one payment.
 * If the chain contradicts the payment, the lookups end, and the transaction becomes available for the deal that it does pay.
 */
async function settlePayment(deps: Deps, deal: DealRow): Promise<void> {
	const now = deps.clock.now();
	const { contradiction, change, entries } = await lookUpPayment(deps, deal, now);
	const refuted = contradiction === null ? {} : { paymentTransaction: null };
	const after = { ...deal, ...change, ...refuted };
	const finding = [
		guardDeal(deps, deal),
		updateDeal(deps, deal.id, { change: { ...change, ...refuted }, entries }),
		...(after.paymentVerified === null ? [] : [recordUpdate(deps, after, "platform")]),
	];
	// If another consumer has looked the payment up in the meantime, or a party has taken a step, the payment is due again at the end of the
	// claim.
	await unlessStale(() => commit(deps.db, finding));
}
