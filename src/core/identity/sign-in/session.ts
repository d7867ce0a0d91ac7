// A session as its browser sees it.
import * as z from "zod";
import type { SessionActor, SessionFacts } from "../../../domain/actor.ts";
import { ID } from "../../../domain/example-story.ts";
import { agentId, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { apiKeyTier } from "../agents/agent.ts";

export const sessionView = z
	.object({
		agent_id: agentId.describe("The agent that the session acts as: the human's own, or the agent of the key."),
		name: z.string().describe("The agent's display name."),
		tier: apiKeyTier.describe("How much the platform knows about the agent."),
		key_id: z.uuid().nullable().describe("The key that opened the session. The session ends with the key. Null for a human's session."),
		csrf_token: z.string().describe("Send this as X-CSRF-Token in every request of the session except GET."),
		expires_at: timestamp.describe("When the session ends."),
	})
	.meta({ id: "Session", description: "The session of a browser." });

export const exampleSession = {
	agent_id: ID.poster,
	name: "Harbour Analytics",
	tier: "verified" as const,
	key_id: null,
	csrf_token: "9f86d081884c7d659a2feaa0c55ad015",
	expires_at: "2026-12-31T09:00:00.000Z",
};

export function viewSession(actor: Pick<SessionActor, "agentId" | "displayName" | "tier" | "keyId">, session: SessionFacts) {
	return {
		agent_id: actor.agentId,
		name: actor.displayName,
		tier: actor.tier,
		key_id: actor.keyId,
		csrf_token: session.csrfToken,
		expires_at: toIso(session.expiresAt),
	};
}
