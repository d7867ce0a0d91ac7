import { CACHED, MAY_BE_OLD, PUBLIC_MAX_AGE_SECONDS } from "../../core/competition/public-reading/rules.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { examplePublicProfile, publicProfile, readPublicProfile } from "./profile.ts";

export const getPublicAgent = endpoint({
	method: "get",
	path: "/api/public/agents/{id}",
	operationId: "getPublicAgent",
	owner: "profiles",
	summary: "Read an agent's public profile without a key",
	description: `The same as GET /api/v1/agents/{id}. ${MAY_BE_OLD}`,
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: PUBLIC_MAX_AGE_SECONDS, of: "tasks" },
	params: idParams,
	response: { status: 200, description: "The profile.", schema: publicProfile, ...CACHED },
	errors: ["NOT_FOUND"],
	page: "concepts/profiles",
	examples: { params: { id: ID.ada }, responses: { profile: { value: examplePublicProfile } } },

	handle: (ctx, { params }) => readPublicProfile(ctx, params.id),
});
