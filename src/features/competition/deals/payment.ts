// Paying a deal, and looking its transaction up: when the poster reports it, and by a sweep until the chain has settled it.
import { commit, decideAndCommit, unlessStale } from "../../../db/commit.ts";
import { USDC_UNITS_PER_CENT } from "../../../domain/chains.ts";
import { DEAL_TRANSITIONS } from "../../../domain/deal-status.ts";
import { AppError } from "../../../domain/errors.ts";
import { MINUTE_MS } from "../../../platform/clock.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { isEvmAddress } from "../../identity/wallet/rules.ts";
import { findUsdcPayment, formatUsdc, type PaymentFinding } from "../../identity/wallet/usdc-payment.ts";
import * as rules from "./rules.ts";
import { assertParty, recordUpdate } from "./service.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { viewDeal } from "./views.ts";

/**
 * Records that the poster has paid, and looks the transaction up if that is possible here. Contract: additions, "Deals".
 *
 * @throws AppError `NOT_FOUND`, `FORBIDDEN`, `INVALID_TRANSITION`; `CONFLICT` when the agent has no payout address, the
 * transaction pays another deal, or it is not this payment.
 */
export function payDeal(ctx: Ctx, dealId: string, reference: string) {
	const transaction = rules.readTransaction(reference);
	return decideAndCommit(ctx.db, async () => {
		const found = assertParty(ctx, await store.findDealToPay(ctx, dealId, transaction));
		rules.assertStep("pay", { party: found.party, status: found.deal.status });
		rules.assertPayable(found.wallet);
		rules.assertTransactionFree(found);
		const now = ctx.clock.now();
		const paid = { ...found.deal, ...describePayment(found.wallet, { reference, transaction, now }) };
		const outcome = await lookUp(ctx, { ...paid, checks: 1 }, now);
		if (outcome.contradiction !== null) throw new AppError("CONFLICT", { message: outcome.contradiction.reason });
		const change = { ...paid, ...outcome.change };
		const entries = [{ at: now, actor: "poster" as const, action: change.status, note: null }, ...outcome.entries];
		await commit(ctx.db, [
			statements.guardDeal(ctx, found.deal),
			statements.guardWallet(ctx, change.agentId, found.wallet),
			statements.updateDeal(ctx, dealId, { change, entries }),
			recordUpdate(ctx, change),
		]);
		return viewDeal({ ...found, deal: change, history: [...found.history, ...entries] });
	});
}

interface ReportedPayment {
	readonly reference: string;
	readonly transaction: string | null;
	readonly now: number;
}

/** The wallet is kept as it was, so that a change of it afterwards changes nothing about what was due where. */
function describePayment(wallet: store.DealWallet, { reference, transaction, now }: ReportedPayment) {
	return {
		status: DEAL_TRANSITIONS.pay.to,
		paymentReference: reference,
		paidMethod: wallet.payoutMethod,
		paidAddress: wallet.payoutAddress,
		paidChain: wallet.payoutChain,
		paidWalletVerifiedAt: wallet.walletVerifiedAt,
		paidAt: now,
		paymentTransaction: wallet.payoutMethod === "onchain_usdc" ? transaction : null,
	};
}

interface LookUp {
	readonly contradiction: (PaymentFinding & { readonly kind: "contradicted" }) | null;
	readonly change: Partial<Pick<store.DealRow, "paymentVerified" | "paymentNote" | "checkDueAt" | "checks">>;
	readonly entries: readonly store.HistoryEntry[];
}

/** What the chain says of a payment now, as a change of its deal. */
async function lookUp(deps: Deps, deal: store.DealRow, now: number): Promise<LookUp> {
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

/** What is known of a payment, or in a sentence why it cannot be looked up at all. */
async function findPayment(deps: Deps, deal: store.DealRow): Promise<PaymentFinding | string> {
	const { paidChain: chain, paidAddress: address, paymentTransaction: transaction } = deal;
	if (deal.paidMethod !== "onchain_usdc" || chain === null || !isEvmAddress(address)) {
		return `The platform cannot look up payments by ${deal.paidMethod}.`;
	}
	if (transaction === null) return "The reference is not the hash of a transaction, so the platform cannot look it up.";
	const units = BigInt(deal.dealValueCents - deal.platformFeeCents) * USDC_UNITS_PER_CENT;
	const finding = await findUsdcPayment(deps, { chain, transaction, address, units, notBefore: deal.createdAt });
	return finding ?? `This deployment has no node of ${chain}, so it cannot look the transaction up.`;
}

/** Payments that one sweep looks up, and how many of them at once: each needs up to four connections, of which a Worker has six. */
const SWEEP_LIMIT = 20;
const AT_ONCE = 2;
/** Longer than any look-up takes. A payment whose consumer died is due again afterwards. */
const CHECK_LEASE_MS = 5 * MINUTE_MS;

/** Looks up the payments that are due. */
export async function sweepPayments(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	for (let taken = 0; taken < SWEEP_LIMIT; taken += AT_ONCE) {
		// Earlier look-ups can take minutes if nodes are slow, and each lease needs its full time.
		const due = await store.claimChecks(deps, { now, leaseUntil: deps.clock.now() + CHECK_LEASE_MS, limit: AT_ONCE });
		await Promise.all(due.map((deal) => settlePayment(deps, deal)));
		if (due.length < AT_ONCE) return;
	}
}

/** Looks up one payment. A settled contradiction ends the search, and frees the transaction for the deal that it does pay. */
async function settlePayment(deps: Deps, deal: store.DealRow): Promise<void> {
	const now = deps.clock.now();
	const { contradiction, change, entries } = await lookUp(deps, deal, now);
	const isRefuted = contradiction?.isSettled === true;
	const refuted = { paymentVerified: false, paymentNote: contradiction?.reason ?? null, paymentTransaction: null, checkDueAt: null };
	const after = { ...deal, ...change, ...(isRefuted ? refuted : {}) };
	const { paymentVerified, paymentNote, paymentTransaction, checkDueAt } = after;
	const finding = [
		statements.guardDeal(deps, deal),
		statements.updateDeal(deps, deal.id, { change: { paymentVerified, paymentNote, paymentTransaction, checkDueAt }, entries }),
		...(paymentVerified === null ? [] : [recordUpdate(deps, after)]),
	];
	// When another consumer has looked since, or a party has taken a step, the payment is due again at the end of the lease.
	await unlessStale(() => commit(deps.db, finding));
}
