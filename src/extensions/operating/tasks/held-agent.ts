import { readTask } from "../../../core/competition/tasks/store.ts";
import type { HeldAgent } from "../../../ports/holdings.ts";
import type { TaskStore } from "../../../ports/task.ts";

export function heldAgent(task: TaskStore, agentId: string): HeldAgent {
	return { agentId, isOwner: readTask(task).companyId === agentId };
}
