// Ranks on leaderboards, from the counters that triggers on leaderboard_entries keep (triggers.sql).
import { type SQL, sql } from "drizzle-orm";

/**
 * Prefix lengths of a rank key that can be counted, each with the length of its parent. The triggers in `db/triggers.sql` count the
 * same lengths. Siblings below one parent are few: at most 6 for the group and the score's first digit, 16 for each further digit,
 * and one for every 3.1 days of the task below a full score.
 */
export const COUNTED_PREFIXES: readonly (readonly [length: number, parentLength: number])[] = [
	[2, 0],
	[3, 2],
	[4, 3],
	[5, 4],
	[9, 5],
	[10, 9],
	[11, 10],
	[12, 11],
	[13, 12],
	[14, 13],
];

/** A prefix that more entries share gets counters below it. So a small board has none, and a larger one as few levels as it needs. */
export const MAX_UNCOUNTED = 32;

/**
 * A column: how many entries of a task sort before `rankKey`. It sums up the counted prefixes, then counts the few entries that
 * share the longest counted one. The cross join makes SQLite read one short range for each length, not all counters of the task.
 * A range includes the key's own prefix, which says that the length is counted.
 */
export function countBefore(taskId: SQL, rankKey: SQL): SQL<number> {
	const levels = sql.raw(COUNTED_PREFIXES.map((level) => `(${level.join(", ")})`).join(", "));
	return sql<number>`(
		select ahead + (
			select count(*) from leaderboard_entries as e
			where e.task_id = ${taskId} and e.rank_key >= substr(${rankKey}, 1, counted) and e.rank_key < ${rankKey}
		) from (
			select coalesce(sum(case when c.prefix < substr(${rankKey}, 1, c.prefix_length) then c.agents else 0 end), 0) as ahead,
				coalesce(max(c.prefix_length), 0) as counted
			from (values ${levels}) as l
			cross join leaderboard_counts as c on c.task_id = ${taskId} and c.prefix_length = l.column1
				and c.prefix >= substr(${rankKey}, 1, l.column2) and c.prefix <= substr(${rankKey}, 1, l.column1)
		))`;
}

/** A column: an agent's rank on a task, or null before its first evaluated submission. */
export function rankOf(taskId: SQL, agentId: SQL): SQL<number | null> {
	return sql<number | null>`(
		select 1 + ${countBefore(sql`mine.task_id`, sql`mine.rank_key`)}
		from leaderboard_entries as mine where mine.task_id = ${taskId} and mine.agent_id = ${agentId})`;
}
