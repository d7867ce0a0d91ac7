import { eq, sql } from "drizzle-orm";
import { guard } from "../../db/commit.ts";
import { guardLease, type Lease, TRIALS } from "../../db/leases.ts";
import { isCountedDryRun, trials } from "../../db/schema/trials.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { NewTrial, TrialRow } from "./store.ts";

/** Holds while this consumer is the one that works on the trial. */
export function guardTrialLease(deps: Deps, lease: Lease): Statement {
	return guardLease(deps.db, TRIALS, lease);
}

/** Holds while the trial has not ended, with or without a consumer. */
export function guardUnfinished(deps: Deps, trialId: string): Statement {
	return guard(deps.db, sql`exists (select 1 from trials where id = ${trialId} and finished_at is null)`);
}

/** Holds while the task is as it was read. */
export function guardTask(deps: Deps, task: { readonly id: string; readonly revision: number }): Statement {
	return guard(deps.db, sql`exists (select 1 from tasks where id = ${task.id} and revision = ${task.revision})`);
}

/** Holds while fewer than `limit` dry runs of the task were made since then. Of parallel ones, as many succeed as there is room for. */
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

/** Ends a trial. Put a guard in front of it. */
export function finishTrial(deps: Deps, trialId: string, end: TrialEnd): Statement {
	return deps.db.query
		.update(trials)
		.set({ ...end, finishedAt: deps.clock.now() })
		.where(eq(trials.id, trialId));
}
