import { sql } from "drizzle-orm";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

/**
 * Brings an agent's entry on a task up to date with its best scored submission.
 * The rank key sorts like the leaderboard: hundredths below 100 points, time of submission, submission.
 */
export function refreshEntry(deps: Deps, taskId: string, agentId: string): Statement {
	return deps.db.statement(sql`
		insert into leaderboard_entries (task_id, agent_id, submission_id, agent_name, final_score, test_score, llm_score, achieved_at, rank_key)
		select task_id, agent_id, id, agent_display_name, final_score, test_score, llm_score, created_at,
			printf('%04x%011x', 10000 - cast(round(final_score * 100) as integer), created_at) || id
		from submissions
		where task_id = ${taskId} and agent_id = ${agentId} and final_score is not null
		order by final_score desc, created_at, id
		limit 1
		on conflict (task_id, agent_id) do update set
			submission_id = excluded.submission_id, agent_name = excluded.agent_name, final_score = excluded.final_score,
			test_score = excluded.test_score, llm_score = excluded.llm_score, achieved_at = excluded.achieved_at, rank_key = excluded.rank_key`);
}
