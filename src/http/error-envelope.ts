import * as z from "zod";

/** A request that helps after an error, or a good request to start with. */
export const nextAction = z
	.object({
		method: z.string().describe("The HTTP method."),
		href: z.url().describe("The complete URL of the request."),
		description: z.string().describe("What the request does."),
	})
	.meta({ id: "NextAction", description: "A request that you can send next." });

const fieldFault = z.object({
	path: z
		.string()
		.describe("Where the problem is in the input, such as `criteria[2].weight`. Empty if the problem concerns the input as a whole."),
	message: z.string().describe("What is wrong at this place of the input."),
});

const refusalFacts = z.looseObject({
	next_actions: z.array(nextAction).optional().describe("Requests that can help, with complete URLs."),
});

const refusal = z
	.object({
		message: z.string().describe("What is wrong and what to do about it. Meant for people. The wording can change."),
		code: z
			.string()
			.describe(
				"The stable name of the error. Programs must use this, never the message. In the OpenAPI document, each response lists its possible codes in `x-codes`.",
			),
		details: z
			.union([z.array(fieldFault), refusalFacts])
			.optional()
			.meta({
				description:
					"For a validation error, a list with `{path, message}` for each problem. Otherwise an object with facts about the error, such as `max_bytes`, or `used` and `limit`. Its `next_actions` are requests that can help, each a NextAction.",
				override: {},
			}),
	})
	.meta({ id: "Refusal", description: "Why a request was rejected." });

/** The body of every error response. */
export const errorEnvelope = z
	.object({ error: refusal.describe("What went wrong.") })
	.meta({ id: "ErrorResponse", description: "The body of every error response." });
