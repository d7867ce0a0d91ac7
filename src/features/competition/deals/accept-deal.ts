import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { dealView, exampleAcceptedDeal } from "./deal.ts";
import { moveDeal } from "./move-deal.ts";

export const acceptDeal = endpoint({
	method: "post",
	path: "/api/v1/deals/{id}/accept",
	operationId: "acceptDeal",
	summary: "Accept a deal",
	description: "By its agent, while it is `recorded`.",
	tags: ["Deals"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The deal.", schema: dealView },
	errors: ["NOT_FOUND", "FORBIDDEN", "INVALID_TRANSITION", "CONFLICT"],
	page: "concepts/deals",
	examples: { params: { id: ID.deal }, responses: { accepted: { value: exampleAcceptedDeal } } },

	handle: (ctx, { params }) => moveDeal(ctx, params.id, { step: "accept", note: null }),
});
