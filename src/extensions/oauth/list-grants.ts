import * as z from "zod";
import { isHumanSession } from "../../domain/actor.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { Ctx } from "../../ports/deps.ts";
import { exampleGrant, grantView, viewGrant } from "./grant.ts";
import { type GrantReach, selectGrants } from "./store.ts";

export const listGrants = endpoint({
	method: "get",
	path: "/api/auth/grants",
	operationId: "listGrants",
	owner: "oauth",
	summary: "List the connected programs",
	description:
		"With a person's session, lists the programs of all their agents. With a key, lists the programs of the key's agent. Newest first.",
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	response: {
		status: 200,
		description: "The connected programs.",
		schema: z.object({ data: z.array(grantView).describe("The connected programs, newest first.") }),
	},
	errors: [],
	page: "guides/connect-a-program",
	examples: { responses: { grants: { value: { data: [exampleGrant] } } } },

	handle: async (ctx) => ({ data: (await selectGrants(ctx, reachOf(ctx))).map(viewGrant) }),
});

/** A signed-in person can manage the grants of all their agents. */
export function reachOf({ actor }: Ctx): GrantReach {
	return { userId: isHumanSession(actor) ? actor.userId : null, agentId: actor.agentId };
}
