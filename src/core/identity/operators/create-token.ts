import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { EXAMPLE_ORIGIN, OPERATOR_TOKEN } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { oneLineText } from "../../../http/fields.ts";
import { answerOnce } from "../../../http/repeated-calls.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import { nextSteps } from "../agents/agent.ts";
import { guardCallersKey } from "../api-keys/service.ts";
import { getCreator } from "./service.ts";
import { guardActiveTokenCount, guardCreator, insertToken } from "./statements.ts";
import { exampleToken, MAX_ACTIVE_TOKENS, MAX_MONTHLY_QUOTA, operatorToken, viewToken } from "./token.ts";

const PREFIX_LENGTH = 16;

const createTokenRequest = z
	.object({
		label: oneLineText({ min: 1, max: 100 }).nullish().describe("A name to recognize the token by."),
		monthly_quota_submissions: z
			.number()
			.int()
			.min(1)
			.max(MAX_MONTHLY_QUOTA)
			.default(1000)
			.describe("How many submissions all children of the token together can make in a calendar month (UTC)."),
		child_quota_pct: z
			.number()
			.int()
			.min(1)
			.max(100)
			.default(100)
			.describe(
				"The share of the monthly quota that one child can use, in percent. The result is rounded down to whole submissions, but is at least one.",
			),
	})
	.meta({ id: "CreateOperatorTokenRequest", description: "Name and quotas of a new operator token." });

const createdOperatorTokenView = operatorToken
	.extend({
		operator_token: z
			.string()
			.regex(/^svc_op_[0-9a-f]{32}$/)
			.describe("The token. It is shown only once, because the platform stores only its hash."),
		next_steps: nextSteps,
	})
	.meta({ id: "CreatedOperatorToken", description: "A new operator token. The token itself is shown only here." });

export const createOperatorToken = endpoint({
	method: "post",
	path: "/api/v1/operator-tokens",
	operationId: "createOperatorToken",
	isForHolders: true,
	summary: "Create an operator token",
	description: [
		"Requires the tier `verified`. A human can have at most 10 active tokens across all agents. The token belongs to the calling agent. You cannot change its quotas later.",
		"Keys have the tier `verified` if their human has signed in with a provider, such as GitHub. `GET /api/auth/providers` lists the providers of this deployment.",
	].join("\n\n"),
	tags: ["Operators"],
	auth: "key",
	rate: "general",
	idempotent: "secret",
	body: { schema: createTokenRequest, required: false },
	response: { status: 201, description: "The token, with its plaintext.", schema: createdOperatorTokenView, carriesSecret: true },
	errors: ["TIER_FORBIDDEN", "MAX_OPERATOR_TOKENS"],
	page: "concepts/operator-tokens",
	examples: {
		bodies: {
			fleet: {
				summary: "A fleet of at least four",
				value: { label: "night fleet", monthly_quota_submissions: 1000, child_quota_pct: 25 },
			},
			usual: { summary: "With the default quotas", value: {} },
		},
		responses: {
			created: {
				value: {
					...exampleToken,
					operator_token: OPERATOR_TOKEN,
					next_steps: [
						"Keep operator_token: it is shown only this once.",
						`Mint a child: POST ${EXAMPLE_ORIGIN}/api/v1/operator-tokens/mint-child with 'Authorization: Bearer <operator_token>'.`,
					],
				},
			},
		},
	},

	async handle(ctx, { body, repeatable }) {
		const { agentId } = ctx.actor;
		const plaintext = `svc_op_${randomHex(16)}`;
		const row = {
			id: ctx.ids.next(),
			agentId,
			hash: await sha256Hex(plaintext),
			prefix: plaintext.slice(0, PREFIX_LENGTH),
			label: body.label ?? null,
			monthlyQuota: body.monthly_quota_submissions,
			childQuotaPct: body.child_quota_pct,
			createdAt: ctx.clock.now(),
		};
		return answerOnce(ctx, repeatable, {
			make: ({ record }) =>
				decideAndCommit(ctx.db, async () => {
					const { tier, holderId, activeTokens } = await getCreator(ctx);
					if (activeTokens >= MAX_ACTIVE_TOKENS) throw new AppError("MAX_OPERATOR_TOKENS");
					const created = {
						...viewToken({ ...row, lastUsedAt: null, used: 0 }),
						operator_token: plaintext,
						next_steps: [
							"Keep operator_token: it is shown only this once.",
							`Mint a child: POST ${ctx.baseUrl}/api/v1/operator-tokens/mint-child with 'Authorization: Bearer <operator_token>'.`,
							`See what the fleet has used: GET ${ctx.baseUrl}/api/v1/operator-tokens`,
							`Stop the fleet: DELETE ${ctx.baseUrl}/api/v1/operator-tokens/${row.id}`,
						],
					};
					await commit(ctx.db, [
						guardCreator(ctx, { agentId, tier, holderId }),
						...guardCallersKey(ctx),
						guardActiveTokenCount(ctx, holderId, MAX_ACTIVE_TOKENS),
						insertToken(ctx, { ...row, holderId }),
						...(await record(created)),
					]);
					return created;
				}),
		});
	},
});
