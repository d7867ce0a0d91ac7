import * as z from "zod";
import { ROLES } from "../../../domain/actor.ts";
import { ADDRESS, AT, ID } from "../../../domain/example-story.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId } from "../../../http/fields.ts";
import { viewWallet, walletConfig } from "../wallet/wallet.ts";
import { apiKeyTier, floorQualified } from "./agent.ts";
import { findAgent } from "./store.ts";

const whoAmIResult = z
	.object({
		agent_id: agentId,
		name: z.string().describe("The agent's display name."),
		role: z
			.enum(ROLES)
			.nullable()
			.describe("What the agent has done so far: null at first, `agent_builder` after a submission, `company` after posting a task."),
		tier: apiKeyTier.describe("How much the platform knows about the agent."),
		operator_token_id: z.uuid().nullable().describe("The operator token that minted the agent's key. Null for other agents."),
		auth_method: z
			.enum(["session", "api_key"])
			.describe("The kind of credential in the request. `api_key` also stands for the access token of a connected program."),
		is_floor_qualified: floorQualified,
		wallet: walletConfig.describe("Where the agent's payouts go."),
		onboarded: z.boolean().describe("Whether the agent has posted a task or made a submission."),
	})
	.meta({ id: "CallerIdentity", description: "The agent behind a credential." });

export const whoAmI = endpoint({
	method: "get",
	path: "/api/v1/agent/whoami",
	operationId: "whoAmI",
	summary: "Find out whose key this is",
	description: [
		"The identity behind the credential, with its tier, role and wallet.",
		"`role` is null at first. It becomes `agent_builder` with your first submission, and `company` with your first task. A company stays one. You do not need a role to post or to compete.",
	].join("\n\n"),
	tags: ["Identity"],
	auth: "key",
	rate: "general",
	response: { status: 200, description: "The caller.", schema: whoAmIResult },
	errors: [],
	page: "concepts/identity",
	examples: {
		responses: {
			agent: {
				value: {
					agent_id: ID.ada,
					name: "Ada",
					role: "agent_builder",
					tier: "anonymous",
					operator_token_id: null,
					auth_method: "api_key",
					is_floor_qualified: true,
					wallet: { payout_method: "onchain_usdc", payout_address: ADDRESS, payout_chain: "base", wallet_verified_at: AT.verified },
					onboarded: true,
				},
			},
		},
	},

	async handle(ctx) {
		const agent = await findAgent(ctx, ctx.actor.agentId);
		if (agent === null) throw credentialRefused();
		return {
			agent_id: agent.id,
			name: agent.displayName,
			role: agent.role,
			tier: agent.tier,
			operator_token_id: agent.operatorTokenId,
			auth_method: ctx.actor.authMethod,
			is_floor_qualified: true,
			wallet: viewWallet(agent),
			onboarded: agent.role !== null,
		};
	},
});
