import * as z from "zod";
import { commit, unlessStale } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { stopKeys } from "../api-keys/service.ts";
import { deactivateToken } from "./statements.ts";
import { tokenReachOf } from "./token.ts";

export const revokeOperatorToken = endpoint({
	method: "delete",
	path: "/api/v1/operator-tokens/{id}",
	operationId: "revokeOperatorToken",
	summary: "Revoke an operator token",
	description:
		"The token and all keys of its children stop working at once, and the children's webhooks end. The children's tasks and submissions stay. A key can revoke its own agent's tokens. A session can revoke any token of its person.",
	tags: ["Operators"],
	auth: "key",
	isForHolders: true,
	rate: "general",
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
	page: "concepts/operator-tokens",
	examples: { params: { id: ID.operatorToken }, responses: { revoked: { value: { id: ID.operatorToken, revoked: true } } } },

	async handle(ctx, { params: { id } }) {
		const revocation = deactivateToken(ctx, { tokenId: id, ...tokenReachOf(ctx), now: ctx.clock.now() });
		if (!(await unlessStale(() => commit(ctx.db, revocation)))) {
			throw new AppError("NOT_FOUND", {
				message: "You have no active operator token with this id. GET /api/v1/operator-tokens lists yours.",
			});
		}
		stopKeys(ctx, [id]);
		return { id, revoked: true as const };
	},
});
