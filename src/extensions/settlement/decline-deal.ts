import * as z from "zod";
import { exampleDeal } from "../../core/competition/deals/deal.ts";
import { AT, ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/fields.ts";
import { DEAL_STEP, moveDeal } from "./move-deal.ts";

const REASON = "The value is less than we agreed on.";
const declined = { at: AT.dealAccepted, actor: "agent", action: "declined", note: REASON, address: null } as const;

export const declineDeal = endpoint({
	...DEAL_STEP,
	path: "/api/v1/deals/{id}/decline",
	operationId: "declineDeal",
	owner: "settlement",
	summary: "Decline a deal",
	description:
		"The deal's agent can decline it while it is `recorded`. The state `declined` is final. The poster can record another deal on the task, with the same or another agent.",
	body: {
		schema: z
			.object({ reason: text({ min: 1, max: 2000 }).optional().describe("The reason, for the poster.") })
			.meta({ id: "DeclineDealRequest", description: "Why a deal is declined." }),
		required: false,
	},
	examples: {
		params: { id: ID.deal },
		bodies: { low: { summary: "Too low", value: { reason: REASON } } },
		responses: { declined: { value: { ...exampleDeal, status: "declined", history: [...exampleDeal.history, declined] } } },
	},

	handle: (ctx, { params, body }) => moveDeal(ctx, params.id, { step: "decline", note: body?.reason ?? null }),
});
