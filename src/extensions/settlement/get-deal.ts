import { dealView, viewDeal } from "../../core/competition/deals/deal.ts";
import { findDeal } from "../../core/competition/deals/store.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { examplePaidDeal } from "./examples.ts";
import { assertParty } from "./move-deal.ts";

export const getDeal = endpoint({
	method: "get",
	path: "/api/v1/deals/{id}",
	operationId: "getDeal",
	owner: "settlement",
	summary: "Read a deal",
	description: "Only the poster and the agent of a deal can read it.",
	tags: ["Deals"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The deal.", schema: dealView },
	errors: ["NOT_FOUND"],
	page: "concepts/deals",
	examples: { params: { id: ID.deal }, responses: { paid: { value: examplePaidDeal } } },

	handle: async (ctx, { params }) => viewDeal(assertParty(ctx, await findDeal(ctx, params.id))),
});
