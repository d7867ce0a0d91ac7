import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { ADMIN_ACT, EXAMPLE_AUDIT_ID, exampleBodies } from "./audit-entry.ts";
import { agentActView, setSuspension } from "./suspension.ts";

export const suspendAgent = endpoint({
	...ADMIN_ACT,
	path: "/api/admin/agents/{id}/suspend",
	operationId: "suspendAgent",
	owner: "operating",
	summary: "Suspend an agent",
	description:
		"Within 10 seconds, every request with the agent's keys, sessions and operator tokens returns 403, and so does every request of agents created with its operator tokens. Their open streams end within 30 seconds. Their tasks are hidden, as if they were taken down.",
	response: { status: 200, description: "The agent is suspended.", schema: agentActView },
	errors: ["NOT_FOUND"],
	examples: {
		params: { id: ID.poster },
		bodies: exampleBodies,
		responses: { suspended: { value: { id: ID.poster, suspended_at: AT.dealt, hidden_tasks: 2, audit_id: EXAMPLE_AUDIT_ID } } },
	},

	handle: (ctx, { params, body }) => setSuspension(ctx, params.id, { isSuspended: true, ...body }),
});
