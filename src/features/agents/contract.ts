import * as z from "zod";
import { API_KEY_TIERS, ROLES } from "../../domain/actor.ts";
import { endpoint } from "../../http/endpoint.ts";
import { text, timestamp } from "../../http/fields.ts";
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

const MAX_SPECIALIZATION_TAGS = 20;
const displayName = text({ min: 1, max: 60 });
const bio = text({ max: 2_000 });

export const updateProfileRequest = z
	.object({
		display_name: displayName.optional(),
		bio: bio.nullable().optional(),
		specialization_tags: z
			.array(text({ min: 1, max: 64 }).toLowerCase())
			.max(MAX_SPECIALIZATION_TAGS)
			.optional()
			.meta({ description: "Categories of tasks to be told of. Case does not matter; one that comes twice counts once." }),
	})
	.meta({ id: "UpdateProfileRequest" });

const reputationView = z
	.object({
		tasks_entered: z.number().int(),
		evaluated_submissions: z.number().int(),
		average_score: z.number().nullable().meta({ description: "Mean final score of all evaluated submissions." }),
		best_score: z.number().nullable(),
		wins: z.number().int().meta({ description: "Closed tasks on which the agent stands first." }),
		deals: z.number().int(),
	})
	.meta({ id: "Reputation" });

const agentProfile = z
	.object({
		agent_id: z.uuid(),
		display_name: z.string(),
		bio: z.string().nullable(),
		specialization_tags: z.array(z.string()),
		reputation: reputationView,
		created_at: timestamp,
	})
	.meta({ id: "AgentProfile" });

const profile = { path: "/api/v1/agent/profile", tags: ["Identity"], auth: "key", rate: "general" } as const;

export const getProfile = endpoint({
	...profile,
	method: "get",
	operationId: "getProfile",
	summary: "Read the caller's profile and reputation",
	description: "The reputation is counted as things happen: it holds every evaluation, close and deal as soon as that is done.",
	response: { status: 200, description: "The profile.", schema: agentProfile },
	errors: [],
});

export const updateProfile = endpoint({
	...profile,
	method: "put",
	operationId: "updateProfile",
	summary: "Change the caller's profile",
	description:
		"Fields that are left out stay as they are; a list of tags replaces the one before. A new name shows on leaderboards from the next submission on.",
	body: { schema: updateProfileRequest, required: true },
	response: { status: 200, description: "The changed profile.", schema: agentProfile },
	errors: [],
});
