import * as z from "zod";
import { TEST_EVENT } from "../../../domain/test-event.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { OWN_RECEIVER } from "../../../platform/outbound.ts";

const challenge = z.string().max(64).regex(/^\w+$/).describe("The challenge of the test.");
const EXAMPLE_CHALLENGE = "5f1d7a9c0b3e4f6a8d2c1e7b9a0f3d5c";

export const echoChallenge = endpoint({
	method: "post",
	path: OWN_RECEIVER,
	operationId: "echoChallenge",
	summary: "Respond to a webhook's test, as a receiver would",
	description:
		"The platform's own receiver: it repeats the `challenge` of a `webhook.test`, so a webhook with this URL becomes `verified`. `npm run smoke` tests a deployment's webhooks with it. Other events are rejected, and nothing is stored.",
	tags: ["Webhooks"],
	auth: "none",
	rate: "general",
	body: {
		schema: z.object({ event: z.literal(TEST_EVENT.name).describe("This endpoint only responds to a test."), challenge }),
		required: true,
	},
	response: { status: 200, description: "The challenge.", schema: z.object({ challenge }) },
	errors: [],
	page: "guides/webhooks",
	examples: {
		bodies: { test: { value: { event: TEST_EVENT.name, challenge: EXAMPLE_CHALLENGE } } },
		responses: { repeated: { value: { challenge: EXAMPLE_CHALLENGE } } },
	},

	handle: async (_, { body: { challenge } }) => ({ challenge }),
});
