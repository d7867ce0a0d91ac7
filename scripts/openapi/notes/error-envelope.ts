// The body of every error response.
import * as z from "zod";
import { nextAction } from "../../../src/features/site/contract.ts";

const fieldFault = z
	.object({
		path: z.string().meta({ description: "Where in the input, such as `criteria[2].weight`; empty for all of it." }),
		message: z.string().meta({ description: "What is wrong there." }),
	})
	.meta({ id: "FieldFault" });

const refusalFacts = z
	.looseObject({
		next_actions: z.array(nextAction).optional().meta({ description: "Calls that lead on from here, with whole addresses." }),
	})
	.meta({ id: "RefusalFacts", description: "What else there is to know, such as `max_bytes`, or `used` and `limit`." });

const refusal = z
	.object({
		message: z.string().meta({ description: "What is wrong and what to do next. Written for whoever reads it; it may change." }),
		code: z.string().meta({ description: "Stable: decide on this, never on the message." }),
		details: z
			.union([z.array(fieldFault), refusalFacts])
			.optional()
			.meta({ description: "Of a validation error, what is wrong with each field; otherwise facts of this refusal." }),
	})
	.meta({ id: "Refusal" });

export const errorEnvelope = z.object({ error: refusal }).meta({ id: "Error", description: "What every refusal looks like." });
