import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { ADMIN_ACT, EXAMPLE_AUDIT_ID, exampleBodies } from "./audit-entry.ts";
import { setTakenDown, taskActView } from "./taken-down.ts";

export const restoreTask = endpoint({
	...ADMIN_ACT,
	path: "/api/admin/tasks/{id}/restore",
	operationId: "restoreTask",
	owner: "operating",
	summary: "Show a task again that was taken down",
	description: "The task becomes visible again, in the state that it has reached by now. It stays hidden while its owner is suspended.",
	response: { status: 200, description: "The task has not been taken down.", schema: taskActView },
	errors: ["NOT_FOUND"],
	examples: {
		params: { id: ID.task },
		bodies: exampleBodies,
		responses: { shown: { value: { id: ID.task, taken_down_at: null, hidden: false, audit_id: EXAMPLE_AUDIT_ID } } },
	},

	handle: (ctx, { params, body }) => setTakenDown(ctx, params.id, { isTakenDown: false, ...body }),
});
