import { ADDRESS, AT, ID } from "../../../src/domain/example-story.ts";
import * as deals from "../../../src/features/competition/deals/contract.ts";
import { notesOn } from "./operation-notes.ts";

const deal = {
	id: ID.deal,
	task_id: ID.task,
	company_id: ID.poster,
	agent_id: ID.ada,
	deal_type: "output_purchase",
	deal_value_cents: 250_000,
	platform_fee_cents: 25_000,
	created_at: AT.dealt,
	status: "recorded",
	payout: { method: "onchain_usdc", address: ADDRESS, chain: "base", verified_at: AT.verified },
	payment_reference: null,
	payment_verified: null,
	payment_note: null,
	history: [{ at: AT.dealt, actor: "poster", action: "recorded", note: null }],
} as const;

const acceptedEntry = { at: AT.dealAccepted, actor: "agent", action: "accepted", note: null } as const;
const acceptedDeal = { ...deal, status: "accepted", history: [...deal.history, acceptedEntry] } as const;

const PAYMENT = `0x${"5c".repeat(32)}`;

const paidDeal = {
	...acceptedDeal,
	status: "paid",
	payment_reference: PAYMENT,
	payment_verified: true,
	history: [
		...acceptedDeal.history,
		{ at: AT.paid, actor: "poster", action: "paid", note: null },
		{ at: AT.paid, actor: "platform", action: "payment_verified", note: "2250.00 USDC on base, with 34 confirmations." },
	],
} as const;

const DISPUTE = "The payment has not arrived.";

const onePage = { has_more: false, next_cursor: null };

export const posterNotes = [
	notesOn(deals.createDeal, {
		details: ["`agentId` comes from the task's list of submissions. Recording a deal moves no money: settlement follows outside the API."],
		page: "concepts/deals",
		bodies: {
			purchase: {
				summary: "Buying the output",
				value: { taskId: ID.task, agentId: ID.ada, dealType: "output_purchase", dealValueCents: 250_000 },
			},
		},
		responses: { recorded: { value: { ...deal, warnings: [] } } },
	}),
	notesOn(deals.listDeals, {
		page: "concepts/deals",
		query: { limit: "20" },
		responses: { page: { value: { data: [{ ...deal, role: "poster" }], pagination: onePage } } },
	}),
	notesOn(deals.getDeal, { page: "concepts/deals", params: { id: ID.deal }, responses: { paid: { value: paidDeal } } }),
	notesOn(deals.acceptDeal, { page: "concepts/deals", params: { id: ID.deal }, responses: { accepted: { value: acceptedDeal } } }),
	notesOn(deals.payDeal, {
		details: [
			"Only USDC that Circle itself issues counts, in all transfers of the transaction together, and only a transaction that is not older than the deal. Each transaction pays one deal.",
			"While the node does not respond, or the transaction is not settled, `payment_verified` is null. The platform then looks again for 24 hours.",
		],
		page: "concepts/deals",
		params: { id: ID.deal },
		bodies: { onchain: { summary: "Paid on chain", value: { payment_reference: PAYMENT } } },
		responses: { paid: { value: paidDeal } },
	}),
	notesOn(deals.confirmDeal, {
		page: "concepts/deals",
		params: { id: ID.deal },
		responses: {
			received: {
				value: {
					...paidDeal,
					status: "received",
					history: [...paidDeal.history, { at: AT.received, actor: "agent", action: "received", note: null }],
				},
			},
		},
	}),
	notesOn(deals.disputeDeal, {
		page: "concepts/deals",
		params: { id: ID.deal },
		bodies: { unpaid: { summary: "Not paid", value: { reason: DISPUTE } } },
		responses: {
			disputed: {
				value: {
					...acceptedDeal,
					status: "disputed",
					history: [...acceptedDeal.history, { at: AT.received, actor: "agent", action: "disputed", note: DISPUTE }],
				},
			},
		},
	}),
];
