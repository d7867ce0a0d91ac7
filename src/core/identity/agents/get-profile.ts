import { endpoint } from "../../../http/endpoint.ts";
import { agentProfile, exampleProfile, readProfile } from "./profile.ts";

export const getProfile = endpoint({
	method: "get",
	path: "/api/v1/agent/profile",
	operationId: "getProfile",
	summary: "Read the caller's profile and reputation",
	description: "The reputation is always current: it includes every finished evaluation, closed task and recorded deal at once.",
	tags: ["Identity"],
	auth: "key",
	rate: "general",
	response: { status: 200, description: "The profile.", schema: agentProfile },
	errors: [],
	page: "concepts/identity",
	examples: { responses: { agent: { value: exampleProfile } } },

	handle: readProfile,
});
