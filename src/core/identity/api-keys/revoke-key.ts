import * as z from "zod";
import { commit, unlessStale } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { uuid } from "../../../http/fields.ts";
import { stopKeys } from "./service.ts";
import { deactivateKey } from "./statements.ts";

export const revokeApiKey = endpoint({
	method: "delete",
	path: "/api/api-keys",
	operationId: "revokeApiKey",
	summary: "Revoke a key of the calling identity",
	description:
		"The key stops working at once. A key can revoke itself. Sessions, passkeys and signed URLs that were made with the key end too, except what a person has confirmed since. Other keys, operator tokens, webhooks and tasks stay: look for what you do not know.",
	tags: ["Internal"],
	auth: "key",
	isForHolders: true,
	rate: "general",
	query: z.object({ id: uuid.describe("The key's id from the list, not the key itself.") }),
	response: {
		status: 200,
		description: "The key is revoked.",
		schema: z.object({
			id: z.uuid().describe("The id of the revoked key."),
			revoked: z.literal(true).describe("Always true: the key no longer works."),
		}),
	},
	errors: ["NOT_FOUND"],
	examples: {
		query: { id: ID.secondKey },
		responses: { revoked: { value: { id: ID.secondKey, revoked: true } } },
	},

	// Another agent's key is 404, like an unknown one.
	async handle(ctx, { query: { id } }) {
		const revocation = deactivateKey(ctx, {
			keyId: id,
			agentId: ctx.actor.agentId,
			now: ctx.clock.now(),
			revokedIn: ctx.actor.session?.hash ?? null,
		});
		if (!(await unlessStale(() => commit(ctx.db, revocation)))) {
			throw new AppError("NOT_FOUND", { message: "You have no active key with this id. GET /api/api-keys lists yours." });
		}
		stopKeys(ctx, [id]);
		return { id, revoked: true as const };
	},
});
