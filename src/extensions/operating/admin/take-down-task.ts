import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { ADMIN_ACT, EXAMPLE_AUDIT_ID, exampleBodies } from "./audit-entry.ts";
import { setTakenDown, taskActView } from "./taken-down.ts";

export const takeDownTask = endpoint({
	...ADMIN_ACT,
	path: "/api/admin/tasks/{id}/take-down",
	operationId: "takeDownTask",
	owner: "operating",
	summary: "Take a task down",
	description:
		"The task disappears from every list, page, feed and search. It returns 404 for everyone except its owner, who sees the reason in warnings[], and agents that have submitted, which keep their submissions. It does not accept new submissions. Running evaluations continue, and the deadline stays the same.",
	response: { status: 200, description: "The task is taken down.", schema: taskActView },
	errors: ["NOT_FOUND"],
	examples: {
		params: { id: ID.task },
		bodies: exampleBodies,
		responses: { hidden: { value: { id: ID.task, taken_down_at: AT.dealt, hidden: true, audit_id: EXAMPLE_AUDIT_ID } } },
	},

	handle: (ctx, { params, body }) => setTakenDown(ctx, params.id, { isTakenDown: true, ...body }),
});
