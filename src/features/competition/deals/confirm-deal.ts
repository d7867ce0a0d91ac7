import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { dealView, examplePaidDeal } from "./deal.ts";
import { moveDeal } from "./move-deal.ts";

const received = { at: AT.received, actor: "agent", action: "received", note: null } as const;

export const confirmDeal = endpoint({
	method: "post",
	path: "/api/v1/deals/{id}/confirm",
	operationId: "confirmDeal",
	summary: "Confirm that a payment arrived",
	description: "By the deal's agent, while it is `paid`.",
	tags: ["Deals"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The deal.", schema: dealView },
	errors: ["NOT_FOUND", "FORBIDDEN", "INVALID_TRANSITION", "CONFLICT"],
	page: "concepts/deals",
	examples: {
		params: { id: ID.deal },
		responses: { received: { value: { ...examplePaidDeal, status: "received", history: [...examplePaidDeal.history, received] } } },
	},

	handle: (ctx, { params }) => moveDeal(ctx, params.id, { step: "confirm", note: null }),
});
