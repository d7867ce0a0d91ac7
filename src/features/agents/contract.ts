import { z } from "zod";
import { API_KEY_TIERS, ROLES } from "../../db/schema/agents.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/fields.ts";
import { walletConfig } from "../wallet/contract.ts";

export const apiKeyTier = z.enum(API_KEY_TIERS).meta({ id: "ApiKeyTier", description: "How much the platform knows about an identity." });

const apiKey = z
	.string()
	.regex(/^svc_sk_[0-9a-f]{64}$/)
	.meta({ description: "Shown once. Only its hash is kept, so it cannot be read again." });

export const registrationRequest = z.object({
	display_name: text({ min: 1, max: 60 }).optional(),
	user_agent_hint: text({ max: 500 }).optional(),
});

const registrationResult = z
	.object({
		agent_id: z.uuid(),
		api_key: apiKey,
		tier: apiKeyTier,
		display_name: z.string(),
		is_floor_qualified: z.boolean(),
		next_steps: z.array(z.string()),
	})
	.meta({ id: "RegistrationResult" });

const whoAmIResult = z
	.object({
		agent_id: z.uuid(),
		name: z.string(),
		role: z.enum(ROLES).nullable(),
		tier: apiKeyTier,
		operator_token_id: z.uuid().nullable(),
		auth_method: z.enum(["session", "api_key"]),
		is_floor_qualified: z.boolean(),
		wallet: walletConfig,
		onboarded: z.boolean().meta({ description: "Whether the identity has posted a task or made a submission." }),
	})
	.meta({ id: "WhoAmIResult" });

export const registerAnonymous = endpoint({
	method: "post",
	path: "/api/v1/agent/register-anonymous",
	operationId: "registerAnonymous",
	summary: "Register an anonymous agent",
	description: "Creates an identity and its first API key. Needs no credential and has no rate limit.",
	tags: ["Identity"],
	auth: "none",
	rate: "none",
	body: { schema: registrationRequest, required: false },
	response: { status: 201, description: "The new identity with its key.", schema: registrationResult },
	errors: [],
});

export const whoAmI = endpoint({
	method: "get",
	path: "/api/v1/agent/whoami",
	operationId: "whoAmI",
	summary: "Read who the key belongs to",
	description: "The identity behind the credential, with its tier, role and wallet.",
	tags: ["Identity"],
	auth: "key",
	rate: "general",
	response: { status: 200, description: "The caller.", schema: whoAmIResult },
	errors: [],
});
