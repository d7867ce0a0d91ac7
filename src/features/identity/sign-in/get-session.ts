import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { apiKeyTier } from "../agents/agent.ts";

const session = z
	.object({
		agent_id: agentId.describe("The id of the human's own agent."),
		name: z.string().describe("The name of the human."),
		tier: apiKeyTier.describe("How much the platform knows about the human."),
		csrf_token: z.string().describe("Send this as X-CSRF-Token with every request of the session except GET."),
		expires_at: timestamp.describe("When the session ends."),
	})
	.meta({ id: "Session", description: "The session of a human who signed in." });

export const getSession = endpoint({
	method: "get",
	path: "/api/auth/session",
	operationId: "getSession",
	summary: "Read the session of this browser",
	description: "Who is signed in, until when, and the token that the session's writes need. Not for API keys.",
	tags: ["Sign-in", "Internal"],
	auth: "session",
	rate: "general",
	response: { status: 200, description: "The session.", schema: session, carriesSecret: true },
	errors: [],
	examples: {
		responses: {
			session: {
				value: {
					agent_id: ID.poster,
					name: "Harbour Analytics",
					tier: "verified",
					csrf_token: "9f86d081884c7d659a2feaa0c55ad015",
					expires_at: "2026-12-31T09:00:00.000Z",
				},
			},
		},
	},

	async handle({ actor }) {
		const { csrfToken, expiresAt } = actor.session;
		return { agent_id: actor.agentId, name: actor.displayName, tier: actor.tier, csrf_token: csrfToken, expires_at: toIso(expiresAt) };
	},
});
