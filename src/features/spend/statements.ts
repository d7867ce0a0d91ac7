import { sql } from "drizzle-orm";
import { DEPLOYMENT, judgeReservations, judgeUsageDays } from "../../db/schema/usage.ts";
import type { Usage } from "../../domain/usage.ts";
import { utcDayOf } from "../../platform/clock.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export function releaseReservations(deps: Deps, ids: readonly string[]): Statement {
	return deps.db.query
		.delete(judgeReservations)
		.where(sql`${judgeReservations.id} in (select value from json_each(${JSON.stringify(ids)}))`);
}

/**
 * Adds usage to the day of a poster and of the deployment, as the trigger `judge_usage_added` does for usage of a task that exists.
 * Not repeatable, so it needs a guard in its batch.
 */
export function addToDays(deps: Deps, posterId: string, { calls, inputTokens, outputTokens, costMicroUsd }: Usage): Statement {
	const day = utcDayOf(deps.clock.now());
	const values = [posterId, DEPLOYMENT].map((holder) => ({ holder, day, calls, inputTokens, outputTokens, costMicroUsd }));
	const cost = judgeUsageDays.costMicroUsd;
	return deps.db.query
		.insert(judgeUsageDays)
		.values(values)
		.onConflictDoUpdate({
			target: [judgeUsageDays.holder, judgeUsageDays.day],
			set: {
				calls: sql`${judgeUsageDays.calls} + ${calls}`,
				inputTokens: sql`${judgeUsageDays.inputTokens} + ${inputTokens}`,
				outputTokens: sql`${judgeUsageDays.outputTokens} + ${outputTokens}`,
				...(costMicroUsd === null ? {} : { costMicroUsd: sql`coalesce(${cost}, 0) + ${costMicroUsd}` }),
			},
		});
}
