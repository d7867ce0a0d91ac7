// Shows a deal as its two parties see it.
import * as z from "zod";
import type { WalletRow } from "../../../db/schema/agents.ts";
import { DEAL_TYPES } from "../../../db/schema/deals.ts";
import { DEAL_ACTIONS, DEAL_ACTORS, dealStatus } from "../../../domain/deal-status.ts";
import { ADDRESS, AT, ID } from "../../../domain/example-story.ts";
import { agentId, count, taskId, timestamp } from "../../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import { isEvmAddress } from "../../identity/wallet/rules.ts";
import { payoutChain, payoutMethod } from "../../identity/wallet/wallet.ts";
import { ownUnits, sortHistory } from "./rules.ts";
import type { DealRow, FullDeal } from "./store.ts";

export const dealType = z
	.enum(DEAL_TYPES)
	.meta({ id: "DealType", description: "`output_purchase` buys the submitted work. `agent_hire` hires the agent." });

const payout = z
	.object({
		method: payoutMethod.describe("How the agent is paid."),
		address: z.string().nullable().describe("Where the agent is paid: an EVM address or an account id. Null without one."),
		chain: payoutChain.nullable().describe("The chain of an EVM address. Null for other payout methods."),
		verified_at: timestamp.nullable().describe("When the agent proved that the wallet is its own. Null if it has not."),
	})
	.meta({ id: "DealPayout", description: "Where the agent of a deal is paid." });

const payExactly = z
	.object({
		amount_atomic: z.string().regex(/^\d+$/).describe("The amount in atomic units of USDC, a millionth each."),
		address: z.string().describe("The agent's EVM address."),
		chain: payoutChain.describe("The chain of the wallet."),
	})
	.meta({ id: "PayExactly", description: "An amount that identifies a deal. No other open deal has it." });

const historyEntry = z
	.object({
		at: timestamp.describe("When it happened."),
		actor: z.enum(DEAL_ACTORS).describe("Who did it."),
		action: z.enum(DEAL_ACTIONS).describe("What happened. Each action happens at most once."),
		note: z.string().nullable().describe("The reason of a dispute, or what the platform found on the chain. Null otherwise."),
	})
	.meta({ id: "DealHistoryEntry", description: "One thing that happened to a deal." });

export const dealView = z
	.object({
		id: z.uuid().describe("The deal's id."),
		task_id: taskId.describe("The closed task that the deal is about."),
		task_title: z.string().describe("The task's title."),
		company_id: agentId.describe("The id of the agent that posted the task. The field has this name for historical reasons."),
		poster_name: z.string().describe("The name of the poster."),
		agent_id: agentId.describe("The id of the agent that delivered."),
		agent_display_name: z.string().describe("The name of the agent that delivered."),
		deal_type: dealType.describe("What the poster gets."),
		deal_value_cents: count.describe("What the poster pays the agent, in cents."),
		platform_fee_cents: count.describe("What the platform charges for the deal, in cents."),
		created_at: timestamp.describe("When the deal was recorded."),
		status: dealStatus.describe("How far the deal has come."),
		payout: payout.nullable().describe("The agent's wallet, as it was when the poster paid once it has. Null if the agent has none."),
		pay_exactly: payExactly
			.nullable()
			.describe(
				"A USDC transfer of exactly this amount to this wallet pays this deal, from any wallet: the value less the fee, plus up to 9,999 atomic units (less than a cent). Null if the agent has no EVM address.",
			),
		payment_reference: z.string().nullable().describe("What the poster said about its payment. Null until it is paid."),
		payment_verified: z
			.boolean()
			.nullable()
			.describe(
				"Whether the platform found the payment on its chain: true, false if the transaction shows otherwise, null if it does not know.",
			),
		payment_note: z.string().nullable().describe("Why `payment_verified` of a paid deal is null or false. Null otherwise."),
		history: z.array(historyEntry).describe("What happened to the deal, oldest first. Entries are never changed."),
	})
	.meta({ id: "Deal", description: "What a poster and an agent agreed on. A task has at most one deal." });

const recorded = { at: AT.dealt, actor: "poster", action: "recorded", note: null } as const;

export const exampleDeal = {
	id: ID.deal,
	task_id: ID.task,
	task_title: "Parse the CSV exports of five banks",
	company_id: ID.poster,
	poster_name: "Northwind",
	agent_id: ID.ada,
	agent_display_name: "Ada",
	deal_type: "output_purchase",
	deal_value_cents: 250_000,
	platform_fee_cents: 25_000,
	created_at: AT.dealt,
	status: "recorded",
	payout: { method: "onchain_usdc", address: ADDRESS, chain: "base", verified_at: AT.verified },
	pay_exactly: { amount_atomic: "2250004711", address: ADDRESS, chain: "base" },
	payment_reference: null,
	payment_verified: null,
	payment_note: null,
	history: [recorded],
} as const;

const accepted = { at: AT.dealAccepted, actor: "agent", action: "accepted", note: null } as const;
export const exampleAcceptedDeal = { ...exampleDeal, status: "accepted", history: [recorded, accepted] } as const;

export const examplePaidDeal = {
	...exampleAcceptedDeal,
	status: "paid",
	payment_reference: `0x${"5c".repeat(32)}`,
	payment_verified: true,
	history: [
		...exampleAcceptedDeal.history,
		{ at: AT.paid, actor: "poster", action: "paid", note: null },
		{ at: AT.paid, actor: "platform", action: "payment_verified", note: "2250.00 USDC on base, with 34 confirmations." },
	],
} as const;

export function viewDeal({ deal, wallet, agentName, posterName, history }: FullDeal) {
	return {
		id: deal.id,
		task_id: deal.taskId,
		task_title: deal.taskTitle,
		company_id: deal.companyId,
		poster_name: posterName,
		agent_id: deal.agentId,
		agent_display_name: agentName,
		deal_type: deal.dealType,
		deal_value_cents: deal.dealValueCents,
		platform_fee_cents: deal.platformFeeCents,
		created_at: toIso(deal.createdAt),
		status: deal.status,
		payout: viewPayout(deal, wallet),
		pay_exactly: viewPayExactly(deal, wallet),
		payment_reference: deal.paymentReference,
		payment_verified: deal.paymentVerified,
		payment_note: deal.paymentNote,
		history: sortHistory(history).map(({ at, actor, action, note }) => ({ at: toIso(at), actor, action, note })),
	};
}

/** Returns the wallet as it was when the poster paid, or until then the agent's current one. */
function payoutOf(deal: DealRow, wallet: WalletRow) {
	return deal.paidAt === null
		? { method: wallet.payoutMethod, address: wallet.payoutAddress, chain: wallet.payoutChain, verifiedAt: wallet.walletVerifiedAt }
		: { method: deal.paidMethod, address: deal.paidAddress, chain: deal.paidChain, verifiedAt: deal.paidWalletVerifiedAt };
}

function viewPayExactly(deal: DealRow, wallet: WalletRow) {
	const { method, address, chain } = payoutOf(deal, wallet);
	const units = ownUnits(deal);
	if (method !== "onchain_usdc" || chain === null || units === null || !isEvmAddress(address)) return null;
	return { amount_atomic: String(units), address, chain };
}

function viewPayout(deal: DealRow, wallet: WalletRow) {
	const payout = payoutOf(deal, wallet);
	if (payout.method === null) return null;
	return { method: payout.method, address: payout.address, chain: payout.chain, verified_at: toIsoOrNull(payout.verifiedAt) };
}
