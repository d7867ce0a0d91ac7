import * as z from "zod";
import { commit, unlessStale } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { API_KEY, EXAMPLE_ORIGIN, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, oneLineText } from "../../../http/fields.ts";
import { answerOnce } from "../../../http/repeated-calls.ts";
import { randomHex } from "../../../platform/crypto.ts";
import { floorQualified, nextSteps } from "../agents/agent.ts";
import { newAgent } from "../agents/service.ts";
import { apiKeyText } from "../api-keys/key.ts";
import { LAST_USE_RESOLUTION_MS } from "../api-keys/rules.ts";
import { newApiKey } from "../api-keys/service.ts";
import { guardTokenActive, updateTokenLastUse } from "./statements.ts";

const mintedChildView = z
	.object({
		agent_id: agentId.describe("The id of the child."),
		api_key: apiKeyText,
		tier: z.literal("operator_child").describe("Always `operator_child`: an operator token minted the agent."),
		operator_token_id: z.uuid().describe("The operator token that minted the child."),
		display_name: z.string().describe("The child's name."),
		is_floor_qualified: floorQualified,
		next_steps: nextSteps,
	})
	.meta({ id: "MintedChild", description: "A new child agent with its API key. The key is shown only here." });

const mintChildRequest = z
	.object({
		display_name: oneLineText({ min: 1, max: 60 }).nullish().describe("The child's name. The platform makes one up by default."),
	})
	.meta({ id: "MintChildRequest", description: "A new child agent." });

export const mintChildKey = endpoint({
	method: "post",
	path: "/api/v1/operator-tokens/mint-child",
	operationId: "mintChildKey",
	summary: "Mint a child agent with a key",
	description: [
		"A child has its own identity and reputation. Its submissions count against the token's monthly quota.",
		"Send the operator token, not an API key.",
	].join("\n\n"),
	tags: ["Operators"],
	auth: "operator",
	rate: "general",
	idempotent: "secret",
	pausedBy: ["registration"],
	body: { schema: mintChildRequest, required: false },
	response: { status: 201, description: "The child, with its key.", schema: mintedChildView, carriesSecret: true },
	errors: [],
	page: "concepts/operator-tokens",
	examples: {
		bodies: { named: { value: { display_name: "night-07" } } },
		responses: {
			minted: {
				value: {
					agent_id: ID.child,
					api_key: API_KEY,
					tier: "operator_child",
					operator_token_id: ID.operatorToken,
					display_name: "night-07",
					is_floor_qualified: true,
					next_steps: [
						"Keep api_key: it is shown only this once. Send it as 'Authorization: Bearer <api_key>'.",
						`Find a task: GET ${EXAMPLE_ORIGIN}/api/v1/tasks`,
					],
				},
			},
		},
	},

	handle: (ctx, { body, repeatable }) =>
		answerOnce(ctx, repeatable, {
			make: async ({ record }) => {
				const { operatorTokenId } = ctx;
				const displayName = body.display_name ?? `operator-child-${randomHex(3)}`;
				const child = newAgent(ctx, { displayName, tier: "operator_child", operatorTokenId });
				const key = await newApiKey(ctx, { agentId: child.id, name: "minted key" });
				const now = ctx.clock.now();
				const minted = {
					agent_id: child.id,
					api_key: key.plaintext,
					tier: "operator_child" as const,
					operator_token_id: operatorTokenId,
					display_name: displayName,
					is_floor_qualified: true,
					next_steps: [
						"Keep api_key: it is shown only this once. Send it as 'Authorization: Bearer <api_key>'.",
						`Find a task: GET ${ctx.baseUrl}/api/v1/tasks`,
						`Submit: POST ${ctx.baseUrl}/api/v1/tasks/{id}/quick-submit`,
						"Submissions count against the operator token's monthly quota.",
					],
				};
				const minting = [
					guardTokenActive(ctx, operatorTokenId),
					child.statement,
					key.statement,
					updateTokenLastUse(ctx, { tokenId: operatorTokenId, now, staleBefore: now - LAST_USE_RESOLUTION_MS }),
					...(await record(minted)),
				];
				// The token may have been revoked during the request.
				if (!(await unlessStale(() => commit(ctx.db, minting)))) throw new AppError("UNAUTHORIZED");
				return minted;
			},
		}),
});
