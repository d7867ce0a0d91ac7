// Records deals directly in the database, because judging a submission for each would take most of the time.

import { updateTaskRow } from "../../src/core/competition/tasks/store.ts";
import { createDraft, type RegisteredClient } from "./scenario.ts";
import { insertScored, inTask } from "./task-object.ts";

export interface DealParties {
	readonly poster: RegisteredClient;
	readonly agent: RegisteredClient;
}

/** Returns a closed task on which the agent has an evaluated submission. */
export async function seedClosedTask({ poster, agent }: DealParties): Promise<string> {
	const { id: taskId } = await createDraft(poster);
	const submissionId = crypto.randomUUID();
	await inTask(taskId, (task) => {
		insertScored(task, { submissionId, agentId: agent.agentId, score: 90, createdAt: 1 });
		updateTaskRow(task, { status: "closed", publishedAt: 1, closedAt: 2, settledAt: 2, taskSha256: "0".repeat(64) });
	});
	return taskId;
}

/** Records a deal through the API. */
export async function recordDeal(parties: DealParties, dealValueCents = 12_345) {
	const taskId = await seedClosedTask(parties);
	const body = { taskId, agentId: parties.agent.agentId, dealType: "output_purchase", dealValueCents };
	return parties.poster.call("createDeal", { body });
}
