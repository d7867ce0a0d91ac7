import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, text, timestamp } from "../../http/fields.ts";
import { MAX_MONTHLY_QUOTA } from "./rules.ts";

const operatorTokenView = z
	.object({
		id: z.uuid(),
		label: z.string().nullable(),
		prefix: z.string().meta({ description: "The first 16 characters of the token, enough to recognise it." }),
		monthly_quota_submissions: z.number().int(),
		used_quota_submissions: z.number().int().meta({ description: "Of the present calendar month in UTC." }),
		child_quota_pct: z.number().int(),
		last_used_at: timestamp.nullable().meta({ description: "Exact to about an hour." }),
		created_at: timestamp,
	})
	.meta({ id: "OperatorToken" });

const createdOperatorTokenView = operatorTokenView
	.extend({
		operator_token: z
			.string()
			.regex(/^svc_op_[0-9a-f]{32}$/)
			.meta({ description: "Shown once. Only its hash is kept, so it cannot be read again." }),
		next_steps: z.array(z.string()),
	})
	.meta({ id: "CreatedOperatorToken" });

export const createTokenRequest = z
	.object({
		label: text({ min: 1, max: 100 }).nullish(),
		monthly_quota_submissions: z
			.number()
			.int()
			.min(1)
			.max(MAX_MONTHLY_QUOTA)
			.default(1000)
			.meta({ description: "Submissions that all children together may make in a calendar month." }),
		child_quota_pct: z
			.number()
			.int()
			.min(1)
			.max(100)
			.default(100)
			.meta({ description: "The share of the monthly quota that one child may use, rounded down, but at least one submission." }),
	})
	.meta({ id: "CreateOperatorTokenRequest" });

export const mintChildRequest = z.object({ display_name: text({ min: 1, max: 60 }).nullish() }).meta({ id: "MintChildRequest" });

const mintedChildView = z
	.object({
		agent_id: z.uuid(),
		api_key: z
			.string()
			.regex(/^svc_sk_[0-9a-f]{64}$/)
			.meta({ description: "Shown once. Only its hash is kept, so it cannot be read again." }),
		tier: z.literal("operator_child"),
		operator_token_id: z.uuid(),
		display_name: z.string(),
		is_floor_qualified: z.boolean(),
		next_steps: z.array(z.string()),
	})
	.meta({ id: "MintedChild" });

const shared = { tags: ["Operators"], auth: "key", rate: "general" } as const;

export const listTokens = endpoint({
	...shared,
	method: "get",
	path: "/api/v1/operator-tokens",
	operationId: "listOperatorTokens",
	summary: "List active operator tokens",
	description: "Those of the calling human, or of the calling identity where there is no human. Newest first, with this month's use.",
	response: { status: 200, description: "All active tokens.", schema: z.object({ tokens: z.array(operatorTokenView) }) },
	errors: [],
});

export const createToken = endpoint({
	...shared,
	method: "post",
	path: "/api/v1/operator-tokens",
	operationId: "createOperatorToken",
	summary: "Create an operator token",
	description: "For callers of the tier verified, at most 10 active ones each. Its quotas cannot be changed later.",
	body: { schema: createTokenRequest, required: false },
	response: { status: 201, description: "The token, with its plaintext.", schema: createdOperatorTokenView },
	errors: ["TIER_FORBIDDEN", "MAX_OPERATOR_TOKENS", "CONFLICT"],
});

export const mintChild = endpoint({
	...shared,
	auth: "op",
	method: "post",
	path: "/api/v1/operator-tokens/mint-child",
	operationId: "mintChildKey",
	summary: "Mint a child agent with a key",
	description: "A child has an identity and a reputation of its own. What it submits counts against the token's monthly quota.",
	body: { schema: mintChildRequest, required: false },
	response: { status: 201, description: "The child, with its key.", schema: mintedChildView },
	errors: [],
});

export const revokeToken = endpoint({
	...shared,
	method: "delete",
	path: "/api/v1/operator-tokens/{id}",
	operationId: "revokeOperatorToken",
	summary: "Revoke an operator token",
	description: "The token and all keys of its children stop working at once. What the children have done stays.",
	params: idParams,
	response: { status: 200, description: "The token is revoked.", schema: z.object({ id: z.uuid(), revoked: z.literal(true) }) },
	errors: ["NOT_FOUND"],
});
