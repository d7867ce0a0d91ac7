// Erases what an agent has left in the objects of tasks. Each holding erases what it stores.
import { selectTasksOf } from "../../../core/competition/directory/cards.ts";
import { removeTask } from "../../../core/competition/tasks/delete-task.ts";
import { artifactObjects } from "../../../core/judging/artifacts/artifact-index.ts";
import { callInChunks, chunksOf } from "../../../domain/chunks.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb, unlessDeleted } from "../../../ports/task.ts";
import { heldAgent } from "./held-agent.ts";

/** Lists the keys of the artifacts that the agent has stored in the task. */
export const listWork = taskVerb("listWork", (task, { agentId }: { agentId: string }): string[] => {
	const agent = heldAgent(task, agentId);
	return task.parts.holdings.flatMap(({ artifacts }) => artifacts?.(task, agent) ?? []);
});

const prepareErasure = taskVerb("prepareErasure", (task, { agentId }: { agentId: string }): void => {
	const agent = heldAgent(task, agentId);
	for (const holding of task.parts.holdings) holding.prepareErasure?.(task, agent);
});

/** Erases what identifies the agent in the task. Scores stay, under a pseudonym. Safe to repeat. */
export const eraseTraces = taskVerb("eraseTraces", (task, { agentId }: { agentId: string }): void => {
	const agent = heldAgent(task, agentId);
	for (const { erase } of task.parts.holdings) erase?.(task, agent);
});

const TASKS_AT_ONCE = 10;

export interface ErasedPage {
	/** The number of tasks that were visited. */
	readonly tasks: number;
	readonly deletedFiles: number;
	/** The last task of this page, after which the next page begins. Null after the last page. */
	readonly after: string | null;
}

/**
 * Erases an agent's traces in a page of its tasks, and deletes its drafts and files there. A task costs three calls to its object and one
 * to the bucket, and an invocation may make 10,000 calls, so a page is limited. Safe to repeat.
 */
export async function eraseFromTasks(
	deps: Deps,
	agentId: string,
	page: { readonly after: string; readonly limit: number },
): Promise<ErasedPage> {
	const tasks = await selectTasksOf(deps, agentId, page);
	const deleted = await callInChunks(tasks, TASKS_AT_ONCE, (task) => unlessDeleted(eraseFromTask(deps, agentId, task)));
	const deletedFiles = deleted.reduce<number>((sum, count) => sum + (count ?? 0), 0);
	return { tasks: tasks.length, deletedFiles, after: tasks.length < page.limit ? null : (tasks.at(-1)?.id ?? null) };
}

/** Returns the number of artifacts. The files are deleted first, because only the traces show that they belonged to the agent. */
async function eraseFromTask(deps: Deps, agentId: string, { id, isOwnDraft }: { id: string; isOwnDraft: boolean }): Promise<number> {
	const keys = await listWork(deps, id, { agentId });
	if (isOwnDraft) await removeTask(deps, id, { by: agentId });
	else {
		await prepareErasure(deps, id, { agentId });
		for (const chunk of chunksOf(keys.flatMap(artifactObjects), 1_000)) await deps.bucket.delete(chunk);
		await eraseTraces(deps, id, { agentId });
	}
	return keys.length;
}
