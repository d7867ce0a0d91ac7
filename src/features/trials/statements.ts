import { eq, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { isCountedDryRun, trials } from "../../db/schema/trials.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { NewTrial, TrialRow } from "./store.ts";

/** Holds while fewer than `limit` dry runs of the task were made since then, so parallel requests cannot exceed the limit. */
export function guardLimit(deps: Deps, taskId: string, { since, limit }: { since: number; limit: number }): Statement {
	return guard(deps.db, sql`(select count(*) from trials where ${isCountedDryRun(taskId, since)}) < ${limit}`);
}

export function insertDryRun(deps: Deps, row: Omit<NewTrial, "kind">): Statement {
	return deps.db.query.insert(trials).values({ ...row, kind: "dry_run" });
}

type TrialEnd = Pick<TrialRow, "status"> &
	Partial<
		Pick<
			TrialRow,
			"finalScore" | "testScore" | "llmScore" | "containerScore" | "dimensions" | "reportKey" | "errorMessage" | "blame" | "lastError"
		>
	>;

/** Ends a trial. Put a guard before it. */
export function finishTrial(deps: Deps, trialId: string, end: TrialEnd): Statement {
	return deps.db.query
		.update(trials)
		.set({ ...end, finishedAt: deps.clock.now() })
		.where(eq(trials.id, trialId));
}
