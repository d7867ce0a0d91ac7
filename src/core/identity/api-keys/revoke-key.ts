import * as z from "zod";
import { commit, unlessStale } from "../../../db/commit.ts";
import { guardNotEnded } from "../../../db/credential-ends.ts";
import { dependenceOf, selectEndedOf } from "../../../db/webhook-ends.ts";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { assertNotEnded } from "../../../http/authenticate.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { uuid } from "../../../http/fields.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { stopKeys } from "./service.ts";
import { deactivateKey, handOverWebhooksOf } from "./statements.ts";

export const revokeApiKey = endpoint({
	method: "delete",
	path: "/api/api-keys",
	operationId: "revokeApiKey",
	summary: "Revoke a key of the calling identity",
	description:
		"The key stops working at once. A key can revoke itself. Sessions, passkeys, connections, webhooks and signed URLs that were created with the key end too, unless a person has confirmed them since. To rotate a key without losing deliveries, send `keep_webhooks=true`: its webhooks are then tied to this request's credential. Other keys, operator tokens and tasks stay, so check whether you recognize all of them.",
	tags: ["Internal"],
	auth: "key",
	isForHolders: true,
	rate: "general",
	query: z.object({
		id: uuid.describe("The key's id from the list, not the key itself."),
		keep_webhooks: z
			.enum(["true", "false"])
			.transform((text) => text === "true")
			.optional()
			.describe("`true` keeps the webhooks of the key. They are then tied to this request's credential."),
	}),
	response: {
		status: 200,
		description: "The key is revoked.",
		schema: z.object({
			id: z.uuid().describe("The id of the revoked key."),
			revoked: z.literal(true).describe("Always true: the key no longer works."),
			ended_webhooks: z
				.array(z.uuid())
				.describe(
					"The webhooks that ended with the key, or with a connection that the key created. To reactivate a webhook, `PATCH` it with `active: true`.",
				),
		}),
	},
	errors: ["NOT_FOUND", "CONFLICT"],
	examples: {
		query: { id: ID.secondKey, keep_webhooks: "true" },
		responses: { revoked: { value: { id: ID.secondKey, revoked: true, ended_webhooks: [] } } },
	},

	// The id of another agent's key returns 404, like an unknown id.
	async handle(ctx, { query: { id, keep_webhooks: keepsWebhooks = false } }) {
		const { agentId, session } = ctx.actor;
		const now = ctx.clock.now();
		const revocation = [
			...(keepsWebhooks ? keepWebhooks(ctx, id) : []),
			...deactivateKey(ctx, { keyId: id, agentId, now, revokedIn: session?.hash ?? null }),
		];
		if (!(await unlessStale(() => commit(ctx.db, revocation)))) {
			if (keepsWebhooks) await assertNotEnded(ctx);
			throw new AppError("NOT_FOUND", { message: "You have no active key with this id. GET /api/api-keys lists yours." });
		}
		stopKeys(ctx, [id]);
		const ended = await selectEndedOf(ctx, { agentId, since: now });
		return { id, revoked: true as const, ended_webhooks: ended };
	},
});

/** @throws AppError `CONFLICT` if the caller's own credential ends with the key. Webhooks that it took over would end too. */
function keepWebhooks(ctx: Ctx, keyId: string): Statement[] {
	const { agentId } = ctx.actor;
	const successor = dependenceOf(ctx.actor);
	if (successor.dependsOn === keyId) {
		throw new AppError("CONFLICT", {
			message:
				"Your credential ends with this key, so it cannot take over the key's webhooks. Revoke the key with another key, or in a person's session.",
		});
	}
	return [guardNotEnded(ctx, ctx.actor), handOverWebhooksOf(ctx, { keyId, agentId }, successor)];
}
