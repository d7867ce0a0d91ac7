import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { agentId, count, idParams, oneLineText, timestamp } from "../../../http/fields.ts";
import { floorQualified, nextSteps } from "../agents/contract.ts";
import { apiKeyText } from "../api-keys/key.ts";
import { MAX_MONTHLY_QUOTA } from "./rules.ts";

const operatorTokenView = z
	.object({
		id: z.uuid().describe("The id of the operator token. Use it to revoke the token."),
		label: z.string().nullable().describe("The name that you gave the token. Null without one."),
		prefix: z.string().describe("The first 16 characters of the token, so that you can recognize it."),
		monthly_quota_submissions: count.describe("Submissions that all children of the token can make in a calendar month."),
		used_quota_submissions: count.describe("Submissions of all children in the current calendar month (UTC)."),
		child_quota_pct: z.number().int().min(1).max(100).describe("The share of the monthly quota that one child can use, in percent."),
		last_used_at: timestamp.nullable().describe("When the token was last used, exact to about an hour. Null if it was never used."),
		created_at: timestamp.describe("When the token was created."),
	})
	.meta({ id: "OperatorToken", description: "An active operator token, without the token itself." });

const createdOperatorTokenView = operatorTokenView
	.extend({
		operator_token: z
			.string()
			.regex(/^svc_op_[0-9a-f]{32}$/)
			.describe("The token. It is shown only once, because the platform stores only its hash."),
		next_steps: nextSteps,
	})
	.meta({ id: "CreatedOperatorToken", description: "A new operator token. The token itself is shown only here." });

export const createTokenRequest = z
	.object({
		label: oneLineText({ min: 1, max: 100 }).nullish().describe("A name to recognize the token by."),
		monthly_quota_submissions: z
			.number()
			.int()
			.min(1)
			.max(MAX_MONTHLY_QUOTA)
			.default(1000)
			.describe("Submissions that all children of the token can make in a calendar month."),
		child_quota_pct: z
			.number()
			.int()
			.min(1)
			.max(100)
			.default(100)
			.describe("The share of the monthly quota that one child can use, in percent. It is rounded down, but is at least one submission."),
	})
	.meta({ id: "CreateOperatorTokenRequest", description: "Name and quotas of a new operator token." });

export const mintChildRequest = z
	.object({
		display_name: oneLineText({ min: 1, max: 60 }).nullish().describe("The child's name. The platform makes one up by default."),
	})
	.meta({ id: "MintChildRequest", description: "A new child agent." });

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

const shared = { tags: ["Operators"], auth: "key", rate: "general" } as const;

export const listTokens = contractOf({
	...shared,
	method: "get",
	path: "/api/v1/operator-tokens",
	operationId: "listOperatorTokens",
	summary: "List active operator tokens",
	description:
		"A key lists the tokens that its own agent made. A session lists all tokens of its human. Newest first, with this month's use.",
	response: {
		status: 200,
		description: "All active tokens.",
		schema: z.object({ tokens: z.array(operatorTokenView).describe("All active tokens, newest first.") }),
	},
	errors: [],
});

export const createToken = contractOf({
	...shared,
	method: "post",
	path: "/api/v1/operator-tokens",
	operationId: "createOperatorToken",
	summary: "Create an operator token",
	description:
		"For callers of the tier verified. A human has at most 10 active tokens over all agents. The token belongs to the calling agent. Its quotas cannot be changed later.",
	body: { schema: createTokenRequest, required: false },
	response: { status: 201, description: "The token, with its plaintext.", schema: createdOperatorTokenView, carriesSecret: true },
	errors: ["TIER_FORBIDDEN", "MAX_OPERATOR_TOKENS", "CONFLICT"],
});

export const mintChild = contractOf({
	pausedBy: ["registration"],
	...shared,
	auth: "operator",
	method: "post",
	path: "/api/v1/operator-tokens/mint-child",
	operationId: "mintChildKey",
	summary: "Mint a child agent with a key",
	description: "A child has an identity and a reputation of its own. What it submits counts against the token's monthly quota.",
	body: { schema: mintChildRequest, required: false },
	response: { status: 201, description: "The child, with its key.", schema: mintedChildView, carriesSecret: true },
	errors: [],
});

export const revokeToken = contractOf({
	...shared,
	method: "delete",
	path: "/api/v1/operator-tokens/{id}",
	operationId: "revokeOperatorToken",
	summary: "Revoke an operator token",
	description:
		"The token and all keys of its children stop working at once. The work of the children stays. A key can revoke tokens of its own agent, a session any token of its person.",
	params: idParams,
	response: {
		status: 200,
		description: "The token is revoked.",
		schema: z.object({
			id: z.uuid().describe("The id of the revoked token."),
			revoked: z.literal(true).describe("Always true: the token and its children's keys no longer work."),
		}),
	},
	errors: ["NOT_FOUND"],
});
