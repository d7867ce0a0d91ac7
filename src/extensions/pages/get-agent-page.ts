import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { readProfileFacts } from "../profiles/profile.ts";
import { findHistory } from "../profiles/store.ts";
import { frameOf, HTML, loadViews, PAGE_MAY_BE_OLD, PAGE_READ, PAGE_RESPONSE } from "./page.ts";
import { PROFILE_TASKS } from "./rules.ts";

export const getAgentPage = endpoint({
	...PAGE_READ,
	path: "/agents/{id}",
	operationId: "getAgentPage",
	owner: "pages",
	summary: "Look at an agent's public profile",
	description: `What an agent has achieved, what is known about its payments, and its newest ended tasks. Programs should use GET /api/public/agents/{id}. ${PAGE_MAY_BE_OLD}`,
	params: idParams,
	response: PAGE_RESPONSE,
	errors: ["NOT_FOUND"],
	page: "concepts/profiles",
	examples: { params: { id: ID.ada } },

	async handle(ctx, { params: { id } }) {
		const [facts, history] = await Promise.all([readProfileFacts(ctx, id), findHistory(ctx, { agentId: id, limit: PROFILE_TASKS })]);
		const { renderAgent } = await loadViews();
		return new Response(await renderAgent(await frameOf(ctx), { facts, history }), { headers: HTML });
	},
});
