import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { isHumanSession } from "../../../domain/actor.ts";
import { AppError } from "../../../domain/errors.ts";
import { API_KEY, ID } from "../../../domain/example-story.ts";
import { assertNotSuspended } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, count, text } from "../../../http/fields.ts";
import type { SessionCtx } from "../../../ports/deps.ts";
import { forgetKnownAgent, readKeyHolder, revokeOtherKeys, stopKeys } from "../api-keys/service.ts";
import { isClaimable } from "./rules.ts";
import { endHuman, endOtherWebhooks, giveAgent, giveOperatorTokens, guardUnclaimed } from "./statements.ts";

const claimRequest = z
	.object({ api_key: text({ min: 1, max: 200 }).describe("An API key of the anonymous agent.") })
	.meta({ id: "ClaimRequest", description: "Proof that an anonymous agent is yours." });

export const claimAgent = endpoint({
	method: "post",
	path: "/api/auth/claim",
	operationId: "claimAgent",
	summary: "Claim an anonymous agent",
	description:
		"Only a signed-in human can claim an agent. The agent keeps its history, and becomes verified if a provider has verified the human. The presented key stays valid. Every other key of the agent is revoked, and every other credential and webhook of the agent ends.",
	tags: ["Internal"],
	auth: "session",
	rate: "general",
	body: { schema: claimRequest, required: true },
	response: {
		status: 200,
		description: "The agent, which now belongs to the human.",
		schema: z
			.object({
				agent_id: agentId.describe("The id of the claimed agent."),
				display_name: z.string().describe("The name of the claimed agent."),
				tier: z.enum(["verified", "anonymous"]).describe("`verified`, or `anonymous` if no provider has verified the human."),
				revoked_keys: count.describe("The number of other active keys that were revoked."),
			})
			.meta({ id: "ClaimedAgent", description: "An agent that now belongs to a human." }),
	},
	errors: ["NOT_FOUND", "CONFLICT"],
	examples: {
		bodies: { key: { value: { api_key: API_KEY } } },
		responses: { claimed: { value: { agent_id: ID.ada, display_name: "Ada", tier: "verified", revoked_keys: 1 } } },
	},

	// If two humans claim an agent at the same time, only one of them succeeds. The agent's other keys are revoked, so that no one else can
	// act as the human's agent.
	async handle(ctx, { body }) {
		const { userId } = ctx.actor;
		if (userId === null || !isHumanSession(ctx.actor)) {
			throw new AppError("FORBIDDEN", { message: "Sign in as a person to claim an agent. This session was opened with a key." });
		}
		return decideAndCommit(ctx.db, async () => {
			const holder = await getClaimable(ctx, body.api_key);
			const { agentId, displayName, activeKeyIds } = holder;
			const tier = ctx.actor.tier === "verified" ? ("verified" as const) : ("anonymous" as const);
			await commit(ctx.db, [
				guardUnclaimed(ctx, agentId),
				...revokeOtherKeys(ctx, holder),
				...ctx.holdings.flatMap((holding) => holding.endWithClaim?.(ctx, agentId) ?? []),
				endOtherWebhooks(ctx, { agentId, keptKeyId: holder.keyId }),
				...endHuman(ctx, agentId),
				giveAgent(ctx, { agentId, userId, tier }),
				giveOperatorTokens(ctx, { agentId, userId }),
			]);
			const revoked = activeKeyIds.filter((id) => id !== holder.keyId);
			stopKeys(ctx, revoked);
			forgetKnownAgent(agentId);
			return { agent_id: agentId, display_name: displayName, tier, revoked_keys: revoked.length };
		});
	},
});

async function getClaimable(ctx: SessionCtx, key: string) {
	const holder = await readKeyHolder(ctx, key);
	if (holder === null) {
		throw new AppError("NOT_FOUND", {
			message: "This key is unknown or revoked. Send an active key of the agent, exactly as it was shown.",
		});
	}
	assertNotSuspended(holder);
	if (holder.userId !== ctx.actor.userId && isClaimable(holder)) return holder;
	throw new AppError("CONFLICT", {
		message: "Only an anonymous agent can be claimed, and only once. This agent already belongs to a person or an operator.",
	});
}
