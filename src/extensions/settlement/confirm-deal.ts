import { AT, ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { examplePaidDeal } from "./examples.ts";
import { DEAL_STEP, moveDeal } from "./move-deal.ts";

const received = { at: AT.received, actor: "agent", action: "received", note: null, address: null } as const;

export const confirmDeal = endpoint({
	...DEAL_STEP,
	path: "/api/v1/deals/{id}/confirm",
	operationId: "confirmDeal",
	owner: "settlement",
	summary: "Confirm that a payment arrived",
	description: "The deal's agent can confirm the payment while the deal is `paid`.",
	examples: {
		params: { id: ID.deal },
		responses: { received: { value: { ...examplePaidDeal, status: "received", history: [...examplePaidDeal.history, received] } } },
	},

	handle: (ctx, { params }) => moveDeal(ctx, params.id, { step: "confirm", note: null }),
});
