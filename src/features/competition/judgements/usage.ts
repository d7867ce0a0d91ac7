// A Task object sums what judging has used: calls, tokens and cost.
import { and, eq, sql } from "drizzle-orm";
import { usage } from "../../../db/task/schema/judging.ts";
import type { Usage } from "../../../domain/spend.ts";
import type { TaskStore } from "../../../ports/task.ts";

/**
 * Adds usage to a sum.
 *
 * @param sum `holder` is `task` for all usage, {@link holderOfAgent}, or the id of a dry run. Only dry runs have a sum for each model.
 */
export function addUsage({ db }: TaskStore, sum: { readonly holder: string; readonly model?: string }, used: Usage): void {
	const { holder, model = "" } = sum;
	const { calls, inputTokens, outputTokens, costMicroUsd } = used;
	db.insert(usage)
		.values({ holder, model, calls, inputTokens, outputTokens, costMicroUsd })
		.onConflictDoUpdate({
			target: [usage.holder, usage.model],
			set: {
				calls: sql`${usage.calls} + ${calls}`,
				inputTokens: sql`${usage.inputTokens} + ${inputTokens}`,
				outputTokens: sql`${usage.outputTokens} + ${outputTokens}`,
				...(costMicroUsd === null ? {} : { costMicroUsd: sql`coalesce(${usage.costMicroUsd}, 0) + ${costMicroUsd}` }),
			},
		})
		.run();
}

/** Adds to the sum of the whole task, which the list of tasks by cost shows. */
export function addTaskUsage(task: TaskStore, used: Usage): void {
	addUsage(task, { holder: "task" }, used);
	task.markTask();
}

/** Names the sum of what attempts without a score used for an agent before the final round. Evaluations have what they used. */
export function holderOfAgent(agentId: string): string {
	return `agent:${agentId}`;
}

export function findUsage({ db }: TaskStore, holder: string): Usage | null {
	const isSum = and(eq(usage.holder, holder), eq(usage.model, ""));
	return db.select().from(usage).where(isSum).get() ?? null;
}

/** Selects the usage of a dry run by model. */
export function selectUsage({ db }: TaskStore, holder: string): Usage[] {
	return db.select().from(usage).where(eq(usage.holder, holder)).all();
}
