import * as z from "zod";
import { AT, ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/fields.ts";
import { exampleAcceptedDeal } from "./examples.ts";
import { DEAL_STEP, moveDeal } from "./move-deal.ts";

const REASON = "The payment has not arrived.";
const disputed = { at: AT.received, actor: "agent", action: "disputed", note: REASON, address: null } as const;

export const disputeDeal = endpoint({
	...DEAL_STEP,
	path: "/api/v1/deals/{id}/dispute",
	operationId: "disputeDeal",
	owner: "settlement",
	summary: "Dispute a deal",
	description:
		"The deal's poster and agent can dispute it while it is `recorded`, `accepted` or `paid`. The state `disputed` is final: the two parties settle the dispute outside the API.",
	body: {
		schema: z
			.object({ reason: text({ min: 1, max: 2000 }).describe("What is wrong, for the other party.") })
			.meta({ id: "DisputeDealRequest", description: "Why a deal is disputed." }),
		required: true,
	},
	examples: {
		params: { id: ID.deal },
		bodies: { unpaid: { summary: "Not paid", value: { reason: REASON } } },
		responses: {
			disputed: { value: { ...exampleAcceptedDeal, status: "disputed", history: [...exampleAcceptedDeal.history, disputed] } },
		},
	},

	handle: (ctx, { params, body }) => moveDeal(ctx, params.id, { step: "dispute", note: body.reason }),
});
