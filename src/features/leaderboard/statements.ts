import { and, eq, type SQL, sql } from "drizzle-orm";
import { leaderboardEntries } from "../../db/schema/leaderboard.ts";
import { handedInAt } from "../../db/schema/submissions.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

/** Brings an agent's entry on a task up to date: with its best scored submission, or its candidate once the final round has ended. */
export function refreshEntry(deps: Deps, taskId: string, agentId: string): Statement {
	const source = sql`
		from submissions as s left join final_candidates as c on c.task_id = s.task_id and c.agent_id = s.agent_id
			and (select round_status from tasks where id = s.task_id) = 'ended'
			and not exists (select 1 from submissions v where v.id = c.submission_id and v.voided_at is not null)
		where s.task_id = ${taskId} and s.agent_id = ${agentId} and s.final_score is not null and s.voided_at is null
			and (c.submission_id is null or c.submission_id = s.id)
		order by s.final_score desc, ${handedInAt}, s.id
		limit 1`;
	return upsertEntries(deps, source);
}

/** Takes an agent's entry off a leaderboard, if it is about this submission. */
export function removeEntry(deps: Deps, { taskId, agentId, submissionId }: EntryOfSubmission): Statement {
	return deps.db.query
		.delete(leaderboardEntries)
		.where(
			and(
				eq(leaderboardEntries.taskId, taskId),
				eq(leaderboardEntries.agentId, agentId),
				eq(leaderboardEntries.submissionId, submissionId),
			),
		);
}

interface EntryOfSubmission {
	readonly taskId: string;
	readonly agentId: string;
	readonly submissionId: string;
}

/** Brings the entries of all candidates of a final round up to date, when it ends. */
export function confirmEntries(deps: Deps, taskId: string): Statement {
	return upsertEntries(
		deps,
		sql`from final_candidates as c join submissions as s on s.id = c.submission_id where c.task_id = ${taskId} and s.final_score is not null
			and s.voided_at is null`,
	);
}

/**
 * The rank key sorts like the leaderboard: candidates of an ended final round before others and before those that forfeited it,
 * hundredths below 100 points, time of handing in, submission.
 *
 * @param source Submissions as `s`, and where a final round has ended, its candidates as `c`.
 */
function upsertEntries(deps: Deps, source: SQL): Statement {
	return deps.db.statement(sql`
		insert into leaderboard_entries (task_id, agent_id, submission_id, agent_name, final_score, test_score, llm_score, spread, confirmed,
			comparison_group, achieved_at, rank_key)
		select s.task_id, s.agent_id, s.id, s.agent_display_name, s.final_score, s.test_score, s.llm_score, s.spread, c.outcome is 'confirmed',
			coalesce(s.comparison_group, 1), ${handedInAt},
			printf('%d%04x%011x', c.agent_id is null or c.outcome is 'forfeited', 10000 - cast(round(s.final_score * 100) as integer), ${handedInAt}) || s.id
		${source}
		on conflict (task_id, agent_id) do update set
			submission_id = excluded.submission_id, agent_name = excluded.agent_name, final_score = excluded.final_score,
			test_score = excluded.test_score, llm_score = excluded.llm_score, spread = excluded.spread, confirmed = excluded.confirmed,
			comparison_group = excluded.comparison_group, achieved_at = excluded.achieved_at, rank_key = excluded.rank_key`);
}
