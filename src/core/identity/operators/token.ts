import * as z from "zod";
import { isHumanSession } from "../../../domain/actor.ts";
import { AT, ID, OPERATOR_TOKEN } from "../../../domain/example-story.ts";
import { count, timestamp } from "../../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import type { selectActiveTokens, TokenReach } from "./store.ts";

export const operatorToken = z
	.object({
		id: z.uuid().describe("The id of the operator token. Use it to revoke the token."),
		label: z.string().nullable().describe("The name that you gave the token. Null without one."),
		prefix: z.string().describe("The first 16 characters of the token, so that you can recognize it."),
		monthly_quota_submissions: count.describe(
			"How many submissions all children of the token together can make in a calendar month (UTC).",
		),
		used_quota_submissions: count.describe("How many submissions all children together have made in the current calendar month (UTC)."),
		child_quota_pct: z.number().int().min(1).max(100).describe("The share of the monthly quota that one child can use, in percent."),
		last_used_at: timestamp.nullable().describe("When the token was last used, accurate to about an hour. Null if it was never used."),
		created_at: timestamp.describe("When the token was created."),
	})
	.meta({ id: "OperatorToken", description: "An active operator token, without the token itself." });

export const exampleToken = {
	id: ID.operatorToken,
	label: "night fleet",
	prefix: OPERATOR_TOKEN.slice(0, 16),
	monthly_quota_submissions: 1000,
	used_quota_submissions: 0,
	child_quota_pct: 25,
	last_used_at: null,
	created_at: AT.tokenCreated,
};

export function viewToken(row: Awaited<ReturnType<typeof selectActiveTokens>>[number]): z.input<typeof operatorToken> {
	return {
		id: row.id,
		label: row.label,
		prefix: row.prefix,
		monthly_quota_submissions: row.monthlyQuota,
		used_quota_submissions: row.used ?? 0,
		child_quota_pct: row.childQuotaPct,
		last_used_at: toIsoOrNull(row.lastUsedAt),
		created_at: toIso(row.createdAt),
	};
}

/**
 * Returns which tokens the caller can manage. A human's session can manage all of the human's tokens. A key can manage only its own agent's
 * tokens, so that a leaked key does not affect the human's other agents.
 */
export function tokenReachOf({ actor }: Ctx): TokenReach {
	return { holderId: actor.userId ?? actor.agentId, agentId: isHumanSession(actor) ? null : actor.agentId };
}

export const MAX_MONTHLY_QUOTA = 100_000;
/** The maximum number of active tokens per human, or per agent that belongs to no human. */
export const MAX_ACTIVE_TOKENS = 10;
