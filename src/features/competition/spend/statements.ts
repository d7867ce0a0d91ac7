import { sql } from "drizzle-orm";
import { DEPLOYMENT, judgeUsageDays, taskJudgeUsage } from "../../../db/schema/usage.ts";
import type { Usage } from "../../../domain/usage.ts";
import { utcDayOf } from "../../../platform/clock.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";

/** Adds usage to the day of a poster and of the deployment. Not repeatable. */
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

/** Adds usage to a task that was not deleted. The list of tasks by cost reads it; the task itself counts in its object. */
export function addToTask(deps: Deps, taskId: string, { calls, inputTokens, outputTokens, costMicroUsd }: Usage): Statement {
	const cost = costMicroUsd === null ? sql`` : sql`, cost_micro_usd = coalesce(cost_micro_usd, 0) + excluded.cost_micro_usd`;
	return deps.db.statement(sql`
		insert into ${taskJudgeUsage} (task_id, calls, input_tokens, output_tokens, cost_micro_usd)
		select id, ${calls}, ${inputTokens}, ${outputTokens}, ${costMicroUsd} from task_cards where id = ${taskId}
		on conflict (task_id) do update set calls = calls + excluded.calls, input_tokens = input_tokens + excluded.input_tokens,
			output_tokens = output_tokens + excluded.output_tokens${cost}`);
}
