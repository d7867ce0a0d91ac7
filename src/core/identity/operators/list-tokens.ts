import * as z from "zod";
import { AT } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { utcMonthOf } from "../../../platform/clock.ts";
import { selectActiveTokens } from "./store.ts";
import { exampleToken, operatorToken, tokenReachOf, viewToken } from "./token.ts";

export const listOperatorTokens = endpoint({
	method: "get",
	path: "/api/v1/operator-tokens",
	operationId: "listOperatorTokens",
	summary: "List active operator tokens",
	description:
		"With a key, lists the tokens that the key's agent created. With a session, lists all tokens of the human. Newest first, with this month's usage.",
	tags: ["Operators"],
	auth: "key",
	rate: "general",
	response: {
		status: 200,
		description: "All active tokens.",
		schema: z.object({ tokens: z.array(operatorToken).describe("All active tokens, newest first.") }),
	},
	errors: [],
	page: "concepts/operator-tokens",
	examples: {
		responses: { tokens: { value: { tokens: [{ ...exampleToken, used_quota_submissions: 212, last_used_at: AT.submitted }] } } },
	},

	async handle(ctx) {
		const rows = await selectActiveTokens(ctx, tokenReachOf(ctx), utcMonthOf(ctx.clock.now()));
		return { tokens: rows.map(viewToken) };
	},
});
