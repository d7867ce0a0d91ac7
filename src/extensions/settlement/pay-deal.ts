import * as z from "zod";
import { viewDeal } from "../../core/competition/deals/deal.ts";
import { findDeal } from "../../core/competition/deals/store.ts";
import { commit, decideAndCommit } from "../../db/commit.ts";
import { DEAL_TRANSITIONS } from "../../domain/deal-status.ts";
import { AppError } from "../../domain/errors.ts";
import { ID } from "../../domain/example-story.ts";
import { historyOf, type Payout, payoutOf } from "../../fields/settlement.ts";
import { endpoint } from "../../http/endpoint.ts";
import { oneLineText } from "../../http/fields.ts";
import { examplePaidDeal } from "./examples.ts";
import { assertParty, DEAL_STEP, recordUpdate, withEntries } from "./move-deal.ts";
import { lookUpPayment } from "./payment.ts";
import * as rules from "./rules.ts";
import { guardDeal, guardWallet, updateDeal } from "./statements.ts";

export const payDeal = endpoint({
	...DEAL_STEP,
	path: "/api/v1/deals/{id}/pay",
	operationId: "payDeal",
	owner: "settlement",
	summary: "Report that you paid a deal",
	description: [
		"The deal's poster can report a payment while the deal is `recorded` or `accepted`. The platform does not move or hold money: `paid` only records what you report. If the agent is paid by `onchain_usdc` and the deployment has a node for the chain, the platform looks up the transaction: it must pay at least the value minus the fee, in USDC, to a wallet that the deal has shown. Transfers out of the agent's wallets in the same transaction are subtracted.",
		"Only USDC issued by Circle itself counts. The transfers must come from a wallet that you have proved to be yours, or one of them must be exactly `pay_exactly`. A transaction is verified once its block is final on its chain; until then `payment_on_its_way` is true. A verified transaction pays only one deal. Several deals can refer to the same transaction until it is verified.",
		"A final transaction that failed, is older than the deal, or pays too little returns 409 `CONFLICT`, and nothing changes. Otherwise the payment is recorded. If the platform cannot verify it yet, `payment_verified` is null, and `payment_note` says why. If a later lookup can help, the platform keeps checking for 24 hours.",
	].join("\n\n"),
	body: {
		schema: z
			.object({
				payment_reference: oneLineText({ min: 1, max: 200 }).describe(
					"What identifies the payment. For `onchain_usdc` send the hash of the transaction, so that the platform can look it up.",
				),
			})
			.meta({ id: "PayDealRequest", description: "How a deal was paid." }),
		required: true,
	},
	examples: {
		params: { id: ID.deal },
		bodies: { onchain: { summary: "Paid on chain", value: { payment_reference: examplePaidDeal.payment_reference } } },
		responses: { paid: { value: examplePaidDeal } },
	},

	handle(ctx, { params, body: { payment_reference: reference } }) {
		return decideAndCommit(ctx.db, async () => {
			const fullDeal = assertParty(ctx, await findDeal(ctx, params.id));
			rules.assertStep("pay", { party: fullDeal.party, status: fullDeal.deal.status });
			const { deal, wallet } = fullDeal;
			const hasShown = historyOf(deal).some(({ action }) => action === "address_shown");
			rules.assertPayable({ payoutAddress: wallet.payoutAddress, hasShown });
			const now = ctx.clock.now();
			// A test deal must not take the transaction of a real deal.
			const transaction = deal.isTest ? null : rules.readTransaction(reference);
			const reported = reportedBy(payoutOf(deal, wallet), { reference, transaction, now });
			const outcome = await lookUpPayment(ctx, { ...deal, ...reported, checks: deal.checks + 1 }, now);
			if (outcome.contradiction !== null) throw new AppError("CONFLICT", { message: outcome.contradiction });
			// Write only what changed here, because the other columns can change while the node responds.
			const change = { ...reported, ...outcome.change };
			const after = { ...deal, ...change };
			const entries = [{ at: now, actor: "poster" as const, action: change.status, note: null }, ...outcome.entries];
			await commit(ctx.db, [
				guardDeal(ctx, deal),
				guardWallet(ctx, deal.agentId, wallet),
				updateDeal(ctx, params.id, { change, entries }),
				recordUpdate(ctx, after, "poster"),
			]);
			return viewDeal({ ...fullDeal, deal: withEntries(after, entries) });
		});
	},
});

/** Copies the wallet, so that a later wallet change does not alter where this payment was due. */
function reportedBy(
	payout: Payout,
	{ reference, transaction, now }: { readonly reference: string; readonly transaction: string | null; readonly now: number },
) {
	return {
		status: DEAL_TRANSITIONS.pay.to,
		paymentReference: reference,
		paidMethod: payout.method,
		paidAddress: payout.address,
		paidChain: payout.chain,
		paidWalletVerifiedAt: payout.verifiedAt,
		paidAt: now,
		paymentTransaction: transaction,
	};
}
