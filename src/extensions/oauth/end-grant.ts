import * as z from "zod";
import { stopKeys } from "../../core/identity/api-keys/service.ts";
import { commit } from "../../db/commit.ts";
import { selectEndedWith } from "../../db/webhook-ends.ts";
import { AppError } from "../../domain/errors.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { reachOf } from "./list-grants.ts";
import { holderOfKey } from "./rules.ts";
import { endGrantsOfKeys } from "./statements.ts";
import { findGrantKey } from "./store.ts";

export const endGrant = endpoint({
	method: "delete",
	path: "/api/auth/grants/{id}",
	operationId: "endGrant",
	owner: "oauth",
	summary: "Disconnect a program",
	description:
		"All tokens of the program stop working within 10 seconds, and the webhooks that it created are deactivated. The program can ask to be connected again.",
	tags: ["Internal"],
	auth: "key",
	isForHolders: true,
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The program is disconnected.",
		schema: z.object({
			id: z.uuid().describe("The id of the grant."),
			ended: z.literal(true).describe("Always true: its tokens no longer work."),
			ended_webhooks: z
				.array(z.uuid())
				.describe("The webhooks that were deactivated with the grant. To reactivate a webhook, `PATCH` it with `active: true`."),
		}),
	},
	errors: ["NOT_FOUND"],
	page: "guides/connect-a-program",
	examples: { params: { id: ID.secondKey }, responses: { ended: { value: { id: ID.secondKey, ended: true, ended_webhooks: [] } } } },

	async handle(ctx, { params: { id } }) {
		const key = await findGrantKey(ctx, id, reachOf(ctx));
		if (key === null)
			throw new AppError("NOT_FOUND", { message: "You have no connected program with this id. GET /api/auth/grants lists yours." });
		await commit(ctx.db, endGrantsOfKeys(ctx, [key]));
		stopKeys(ctx, [id]);
		// The directory decides whether a grant is valid. The object only deletes what is no longer needed.
		ctx.background(ctx.hubs.callGrants(holderOfKey(key), (object) => object.end([key])));
		const ended = await selectEndedWith(ctx, id);
		return { id, ended: true as const, ended_webhooks: ended };
	},
});
