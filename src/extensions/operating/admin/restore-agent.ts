import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { ADMIN_ACT, EXAMPLE_AUDIT_ID, exampleBodies } from "./audit-entry.ts";
import { agentActView, setSuspension } from "./suspension.ts";

export const restoreAgent = endpoint({
	...ADMIN_ACT,
	path: "/api/admin/agents/{id}/restore",
	operationId: "restoreAgent",
	owner: "operating",
	summary: "End the suspension of an agent",
	description:
		"The agent's keys work again, and its tasks are visible again, except those that were taken down. Returns CONFLICT if the agent's data was erased, because such an agent stays suspended.",
	response: { status: 200, description: "The agent is not suspended.", schema: agentActView },
	errors: ["NOT_FOUND", "CONFLICT"],
	examples: {
		params: { id: ID.poster },
		bodies: exampleBodies,
		responses: { restored: { value: { id: ID.poster, suspended_at: null, hidden_tasks: 2, audit_id: EXAMPLE_AUDIT_ID } } },
	},

	handle: (ctx, { params, body }) => setSuspension(ctx, params.id, { isSuspended: false, ...body }),
});
