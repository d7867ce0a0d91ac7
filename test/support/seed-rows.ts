// Many rows in few statements, as SQL. Tests in the runtime (seed.ts) and benchmarks outside of it run them.
import { COUNTED_PREFIXES, MAX_UNCOUNTED } from "../../src/db/ranks.ts";

export interface SeedStatement {
	readonly sql: string;
	readonly parameters: readonly (string | number)[];
}

/** Which rows to insert: those with the numbers `from` to `to`. */
export interface SeedRange {
	readonly from: number;
	readonly to: number;
}

/** The numbers of a range, as `n(i)`. Its ends are the first two parameters. */
export const NUMBERS = "with recursive n(i) as (select ?1 union all select i + 1 from n where i < ?2)";

/** A UUID of version 7 with a counter in it, as SQL: in the order of the counter. */
export function uuidSql(counter: string, family: number): string {
	return `printf('01900000-0000-7000-${(0x8000 + family).toString(16)}-%012x', ${counter})`;
}

interface SubmissionSeed extends SeedRange {
	readonly taskId: string;
	readonly agentId: string;
	readonly start: number;
}

/** Submissions of one agent on one task. */
export function submissionRows({ from, to, taskId, agentId, start }: SubmissionSeed): SeedStatement {
	return {
		sql: `${NUMBERS} insert into submissions (id, task_id, agent_id, status, evaluated, agent_display_name, final_score, llm_score, evaluated_at, iteration, created_at, updated_at)
			select ${uuidSql("i", 9)}, ?3, ?4, 'completed', 1, 'Agent', 50, 50, ?5, 1, ?5 + i, ?5 from n`,
		parameters: [from, to, taskId, agentId, start],
	};
}

export interface TaskSeed extends SeedRange {
	readonly posterId: string;
	readonly start: number;
	/** Keeps the ids of tasks with the same numbers apart. */
	readonly family?: number;
}

/** Open tasks of one poster: deadlines one second apart from `start`, every tenth in the category and mode. */
export function taskRows({ from, to, posterId, start, family = 1 }: TaskSeed): SeedStatement {
	return {
		sql: `${NUMBERS} insert into tasks (id, company_id, status, title, category, budget_cents, deadline, eval_mode, test_weight, llm_weight, eval_image,
				eval_network, eval_memory_mb, eval_timeout_seconds, max_submissions_per_agent, created_at)
			select ${uuidSql("i", family)}, ?3, 'open', 'Task ' || i, case when i % 10 = 0 then 'seeded' else 'other' end, 10000, ?4 + i * 1000,
				case when i % 10 < 5 then 'llm' else 'container' end, case when i % 10 < 5 then 0 else 100 end, case when i % 10 < 5 then 100 else 0 end,
				'image', 0, 1024, 600, 15, ?4 from n`,
		parameters: [from, to, posterId, start],
	};
}

/** The same tasks as cards of the directory, without the Task objects that lists do not need. */
export function taskCardRows({ from, to, posterId, start, family = 1 }: TaskSeed): SeedStatement {
	return {
		sql: `${NUMBERS} insert into task_cards (id, number, company_id, status, title, category, budget_cents, deadline, eval_mode,
				max_submissions_per_agent, competitor_count, submission_count, hidden, created_at)
			select ${uuidSql("i", family)}, 1, ?3, 'open', 'Task ' || i, case when i % 10 = 0 then 'seeded' else 'other' end, 10000, ?4 + i * 1000,
				case when i % 10 < 5 then 'llm' else 'container' end, 15, 0, 0, 0, ?4 from n`,
		parameters: [from, to, posterId, start],
	};
}

export interface BoardSeed {
	readonly taskId: string;
	readonly start: number;
	/** Keeps the ids of several boards apart. */
	readonly family: number;
	/** Whether all have the same score, so that time alone ranks them. */
	readonly isTie: boolean;
}

/** Agents with one scored submission and their entry each; times are spread over twenty days. Drop the trigger `leaderboard_entry_added` first. */
export function competitorRows({ from, to, taskId, start, family, isTie }: BoardSeed & SeedRange): SeedStatement[] {
	const agentId = uuidSql("i", 16 * family + 1);
	const submissionId = (counter: string) => uuidSql(counter, 16 * family + 2);
	const score = isTie ? "50.0" : "((i * 7919) % 10001) / 100.0";
	const createdAt = "?4 + (i * 104729) % 1728000000";
	return [
		{
			sql: `${NUMBERS} insert into agents (id, display_name, tier, created_at) select ${agentId}, 'Agent ' || i, 'anonymous', ?3 from n`,
			parameters: [from, to, start],
		},
		{
			sql: `${NUMBERS} insert into submissions (id, task_id, agent_id, status, evaluated, agent_display_name, final_score, llm_score, evaluated_at, iteration, created_at, updated_at)
				select ${submissionId("i")}, ?3, ${agentId}, 'completed', 1, 'Agent ' || i, ${score}, ${score}, ?4, 1, ${createdAt}, ?4 from n`,
			parameters: [from, to, taskId, start],
		},
		{
			sql: `insert into leaderboard_entries (task_id, agent_id, submission_id, agent_name, final_score, llm_score, achieved_at, rank_key)
				select task_id, agent_id, id, agent_display_name, final_score, llm_score, created_at,
					printf('1%04x%011x', 10000 - cast(round(final_score * 100) as integer), created_at) || id as key
				from submissions where id between ${submissionId("?1")} and ${submissionId("?2")} order by key`,
			parameters: [from, to],
		},
	];
}

/** The counts of a board that the trigger would have made, in place of those that are there: a statement for each length. */
export function boardCounts(taskId: string): SeedStatement[] {
	const ofLength = (level: readonly [number, number]) => ({
		sql: `insert into leaderboard_counts (task_id, prefix_length, prefix, agents)
			select task_id, ${level[0]}, prefix, agents from (
				select task_id, substr(rank_key, 1, ${level[0]}) as prefix, count(*) as agents,
					sum(count(*)) over (partition by substr(rank_key, 1, ${level[1]})) as entries_of_parent
				from leaderboard_entries where task_id = ?1 group by 1, 2
			) where entries_of_parent > ?2`,
		parameters: [taskId, MAX_UNCOUNTED],
	});
	return [{ sql: "delete from leaderboard_counts where task_id = ?1", parameters: [taskId] }, ...COUNTED_PREFIXES.map(ofLength)];
}
