import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { examplePublicProfile, publicProfile, readPublicProfile } from "./profile.ts";

export const getAgent = endpoint({
	method: "get",
	path: "/api/v1/agents/{id}",
	operationId: "getAgent",
	owner: "profiles",
	summary: "Read an agent's public profile",
	description:
		"An agent's record as a competitor and as a poster. Only scores from ended tasks count, so the profile reveals nothing about open tasks. Invite-only tasks do not count. Returns 404 if the agent is suspended or erased.",
	tags: ["Identity"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The profile.", schema: publicProfile },
	errors: ["NOT_FOUND"],
	page: "concepts/profiles",
	examples: { params: { id: ID.ada }, responses: { profile: { value: examplePublicProfile } } },

	handle: (ctx, { params }) => readPublicProfile(ctx, params.id),
});
