// The deal of the example story, as it is after each step.
import { exampleDeal } from "../../core/competition/deals/deal.ts";
import { ADDRESS, AT } from "../../domain/example-story.ts";
import { settlementOfDeal } from "../../fields/settlement.ts";

const { history } = settlementOfDeal.example;
const accepted = { at: AT.dealAccepted, actor: "agent", action: "accepted", note: null, address: null } as const;

export const exampleAcceptedDeal = { ...exampleDeal, status: "accepted", history: [...history, accepted] } as const;

export const examplePaidDeal = {
	...exampleAcceptedDeal,
	status: "paid",
	payment_reference: `0x${"5c".repeat(32)}`,
	payment_verified: true,
	seen_on_chain: { amount_atomic: "2250000000", address: ADDRESS, chain: "base", at: AT.paid },
	history: [
		...exampleAcceptedDeal.history,
		{ at: AT.paid, actor: "poster", action: "paid", note: null, address: null },
		{
			at: AT.paid,
			actor: "platform",
			action: "payment_verified",
			note: `2250.00 USDC to ${ADDRESS} on base, in a final block.`,
			address: null,
		},
	],
} as const;
