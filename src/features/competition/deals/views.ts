// Deals as their two parties see them.
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import { sortHistory } from "./rules.ts";
import type { DealRow, DealWallet, FullDeal } from "./store.ts";

export function viewDeal({ deal, wallet, history }: FullDeal) {
	return {
		id: deal.id,
		task_id: deal.taskId,
		company_id: deal.companyId,
		agent_id: deal.agentId,
		deal_type: deal.dealType,
		deal_value_cents: deal.dealValueCents,
		platform_fee_cents: deal.platformFeeCents,
		created_at: toIso(deal.createdAt),
		status: deal.status,
		payout: viewPayout(deal, wallet),
		payment_reference: deal.paymentReference,
		payment_verified: deal.paymentVerified,
		payment_note: deal.paymentNote,
		history: sortHistory(history).map(({ at, actor, action, note }) => ({ at: toIso(at), actor, action, note })),
	};
}

/** The agent's wallet now, or as it was when the poster paid. */
function viewPayout(deal: DealRow, wallet: DealWallet) {
	const payout =
		deal.paidAt === null
			? { method: wallet.payoutMethod, address: wallet.payoutAddress, chain: wallet.payoutChain, verifiedAt: wallet.walletVerifiedAt }
			: { method: deal.paidMethod, address: deal.paidAddress, chain: deal.paidChain, verifiedAt: deal.paidWalletVerifiedAt };
	if (payout.method === null) return null;
	return { method: payout.method, address: payout.address, chain: payout.chain, verified_at: toIsoOrNull(payout.verifiedAt) };
}
