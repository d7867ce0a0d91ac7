// The sums of what judging used, inside a Task object.
import { and, eq, sql } from "drizzle-orm";
import { usage } from "../../../db/task/schema/judging.ts";
import type { Usage } from "../../../domain/usage.ts";
import type { TaskStore } from "../../../ports/task.ts";

/** Whose usage it is: `task` for all of it, or the id of a dry run. */
interface Holder {
	readonly holder: string;
	/** Only dry runs have sums for each model. */
	readonly model?: string;
}

export function addUsage({ db }: TaskStore, { holder, model = "" }: Holder, used: Usage): void {
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

export function findUsage({ db }: TaskStore, holder: string): Usage | null {
	const isSum = and(eq(usage.holder, holder), eq(usage.model, ""));
	return db.select().from(usage).where(isSum).get() ?? null;
}

/** By model, for a dry run. */
export function selectUsage({ db }: TaskStore, holder: string): Usage[] {
	return db.select().from(usage).where(eq(usage.holder, holder)).all();
}
