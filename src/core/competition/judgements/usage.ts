// Sums a task's judging usage: calls, tokens and cost.
import { eq, sql } from "drizzle-orm";
import { type JobRow, usage } from "../../../db/task/schema/judging.ts";
import { entries } from "../../../db/task/schema/task.ts";
import type { Usage } from "../../../domain/spend.ts";
import type { TaskStore } from "../../../ports/task.ts";

/** Parts of a task's cost that have limits of their own. */
type Parts = Partial<Pick<typeof usage.$inferSelect, "furtherMicroUsd" | "posterMicroUsd" | "posterRuns">>;

/** Adds usage to the task's total, by which operators can sort tasks. */
export function addTaskUsage(task: TaskStore, used: Usage, parts: Parts = {}): void {
	addUsage(task, { holder: "task" }, { ...used, ...parts });
	task.markTask();
}

/**
 * Returns what an attempt adds to the parts of a task's cost that have limits. A run that the poster pays for is counted once, with its
 * first paid attempt.
 */
export function partsOf({ fund, isFirst, isPaid }: Pick<JobRow, "fund" | "isFirst" | "isPaid">, { costMicroUsd }: Usage): Parts {
	if (fund === "poster") return { posterMicroUsd: costMicroUsd ?? 0, posterRuns: isPaid ? 0 : 1 };
	return fund === "agents" && !isFirst ? { furtherMicroUsd: costMicroUsd ?? 0 } : {};
}

/** Adds to a dry run's usage of one model. */
export function addDryRunUsage(task: TaskStore, sum: { readonly holder: string; readonly model: string }, used: Usage): void {
	addUsage(task, sum, used);
}

function addUsage(
	{ db }: TaskStore,
	{ holder, model = "" }: { readonly holder: string; readonly model?: string },
	used: Usage & Parts,
): void {
	const { calls, inputTokens, outputTokens, costMicroUsd, furtherMicroUsd = 0, posterMicroUsd = 0, posterRuns = 0 } = used;
	db.insert(usage)
		.values({ holder, model, calls, inputTokens, outputTokens, costMicroUsd, furtherMicroUsd, posterMicroUsd, posterRuns })
		.onConflictDoUpdate({
			target: [usage.holder, usage.model],
			set: {
				calls: sql`${usage.calls} + ${calls}`,
				inputTokens: sql`${usage.inputTokens} + ${inputTokens}`,
				outputTokens: sql`${usage.outputTokens} + ${outputTokens}`,
				furtherMicroUsd: sql`${usage.furtherMicroUsd} + ${furtherMicroUsd}`,
				posterMicroUsd: sql`${usage.posterMicroUsd} + ${posterMicroUsd}`,
				posterRuns: sql`${usage.posterRuns} + ${posterRuns}`,
				...(costMicroUsd === null ? {} : { costMicroUsd: sql`coalesce(${usage.costMicroUsd}, 0) + ${costMicroUsd}` }),
			},
		})
		.run();
}

/** Adds what the agent's payer paid for an attempt that ended without a score. */
export function addFailedCost({ db }: TaskStore, agentId: string, paidMicroUsd: number): void {
	db.update(entries)
		.set({ failedMicroUsd: sql`${entries.failedMicroUsd} + ${paidMicroUsd}` })
		.where(eq(entries.agentId, agentId))
		.run();
}

/** Selects a dry run's usage, with one row per model. */
export function selectUsage({ db }: TaskStore, holder: string): Usage[] {
	return db.select().from(usage).where(eq(usage.holder, holder)).all();
}
