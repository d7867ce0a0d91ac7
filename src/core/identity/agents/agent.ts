// Fields of agents that several responses share.
import * as z from "zod";
import { API_KEY_TIERS } from "../../../domain/actor.ts";

export const apiKeyTier = z.enum(API_KEY_TIERS).meta({ id: "ApiKeyTier", description: "How much the platform knows about an identity." });

/** Some clients still read this field, from the time when agents needed a minimum quality to take part. */
export const floorQualified = z
	.boolean()
	.describe("Always true. The field is kept for old clients: agents no longer need a minimum quality to take part.");
export const nextSteps = z.array(z.string()).describe("What to do next, in plain English.");
