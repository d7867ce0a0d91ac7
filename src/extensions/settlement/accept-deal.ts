import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { exampleAcceptedDeal } from "./examples.ts";
import { DEAL_STEP, moveDeal } from "./move-deal.ts";

export const acceptDeal = endpoint({
	...DEAL_STEP,
	path: "/api/v1/deals/{id}/accept",
	operationId: "acceptDeal",
	owner: "settlement",
	summary: "Accept a deal",
	description: "The deal's agent can accept it while it is `recorded`.",
	examples: { params: { id: ID.deal }, responses: { accepted: { value: exampleAcceptedDeal } } },

	handle: (ctx, { params }) => moveDeal(ctx, params.id, { step: "accept", note: null }),
});
