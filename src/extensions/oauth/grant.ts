// The view of a grant for the person who made it.
import * as z from "zod";
import { SCOPES } from "../../domain/actor.ts";
import { AT, ID } from "../../domain/example-story.ts";
import { timestamp } from "../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { selectGrants } from "./store.ts";

export const grantView = z
	.object({
		id: z.uuid().describe("The id of the grant."),
		client_name: z.string().describe("The program's name, chosen by the program."),
		client_uri: z.string().nullable().describe("The program's own page. Null without one."),
		scope: z.enum(SCOPES).describe("What the program may do: `read`, or `act` as well."),
		created_at: timestamp.describe("When the program was connected."),
		last_used_at: timestamp.nullable().describe("When it was last used, exact to the hour. Null if it was never used."),
	})
	.meta({ id: "Grant", description: "A program that is connected to an agent." });

export const exampleGrant = {
	id: ID.secondKey,
	client_name: "My client",
	client_uri: "https://client.example.com/",
	scope: "act" as const,
	created_at: AT.verified,
	last_used_at: AT.dealt,
};

export function viewGrant(row: Awaited<ReturnType<typeof selectGrants>>[number]) {
	return {
		id: row.id,
		client_name: row.clientName,
		client_uri: row.clientUri,
		scope: row.scope,
		created_at: toIso(row.createdAt),
		last_used_at: toIsoOrNull(row.lastUsedAt),
	};
}
