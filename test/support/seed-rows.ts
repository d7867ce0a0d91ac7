// Provides many rows in few statements, as SQL. Tests in the runtime (seed.ts) and benchmarks outside of it run them.
export interface SeedStatement {
	readonly sql: string;
	readonly parameters: readonly (string | number)[];
}

/** Inserts the rows with the numbers `from` to `to`. */
export interface SeedRange {
	readonly from: number;
	readonly to: number;
}

/** The numbers of a range, as `n(i)`. Its ends are the first two parameters. */
export const NUMBERS = "with recursive n(i) as (select ?1 union all select i + 1 from n where i < ?2)";

/** Returns a UUID of version 7 with a counter in it, as SQL: in the order of the counter. */
export function uuidSql(counter: string, family: number): string {
	return `printf('01900000-0000-7000-${(0x8000 + family).toString(16)}-%012x', ${counter})`;
}

interface SubmissionSeed extends SeedRange {
	readonly agentId: string;
	readonly start: number;
}

/** Submissions of one agent, for the object of their task. */
export function submissionRows({ from, to, agentId, start }: SubmissionSeed): SeedStatement {
	return {
		sql: `${NUMBERS} insert into submissions (id, agent_id, status, evaluated, agent_display_name, final_score, llm_score, evaluated_at, iteration, created_at, updated_at)
			select ${uuidSql("i", 9)}, ?3, 'completed', 1, 'Agent', 50, 50, ?4, 1, ?4 + i, ?4 from n`,
		parameters: [from, to, agentId, start],
	};
}

interface SubmissionCardSeed extends SubmissionSeed {
	readonly taskId: string;
	readonly posterId: string;
}

/** Returns the cards of the same submissions. */
export function submissionCardRows({ from, to, taskId, posterId, agentId, start }: SubmissionCardSeed): SeedStatement {
	return {
		sql: `${NUMBERS} insert into submission_cards (id, number, task_id, agent_id, company_id, status, agent_display_name, final_score, llm_score, evaluated_at, iteration, is_own, created_at)
			select ${uuidSql("i", 9)}, 1, ?3, ?4, ?5, 'completed', 'Agent', 50, 50, ?6, 1, 0, ?6 + i from n`,
		parameters: [from, to, taskId, agentId, posterId, start],
	};
}

export interface TaskSeed extends SeedRange {
	readonly posterId: string;
	readonly start: number;
	/** Keeps the ids of tasks with the same numbers apart. */
	readonly family?: number;
}

/**
 * The cards of open tasks of one poster, without the Task objects that lists do not need: deadlines one second apart from `start`, every
 * tenth in the category and mode.
 */
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
	readonly start: number;
	/** Keeps the ids of several boards apart. */
	readonly family: number;
	/** True if all have the same score, so that time alone ranks them. */
	readonly isTie: boolean;
}

const competitorId = (family: number) => uuidSql("i", 16 * family + 1);

/** Agents for {@link competitorRows}. */
export function agentRows({ from, to, start, family }: Pick<BoardSeed, "start" | "family"> & SeedRange): SeedStatement {
	return {
		sql: `${NUMBERS} insert into agents (id, display_name, tier, created_at) select ${competitorId(family)}, 'Agent ' || i, 'anonymous', ?3 from n`,
		parameters: [from, to, start],
	};
}

/** Agents with one scored submission and their entry each, for the object of a task; times are spread over twenty days. */
export function competitorRows({ from, to, start, family, isTie }: BoardSeed & SeedRange): SeedStatement[] {
	const agentId = competitorId(family);
	const submissionId = (counter: string) => uuidSql(counter, 16 * family + 2);
	const score = isTie ? "50.0" : "((i * 7919) % 10001) / 100.0";
	const createdAt = "?3 + (i * 104729) % 1728000000";
	return [
		{
			sql: `${NUMBERS} insert into entries (agent_id, party, quota_used, created_at) select ${agentId}, ${agentId}, 1, ?3 from n`,
			parameters: [from, to, start],
		},
		{
			sql: `${NUMBERS} insert into submissions (id, agent_id, status, evaluated, agent_display_name, final_score, llm_score, evaluated_at, iteration, created_at, updated_at)
				select ${submissionId("i")}, ${agentId}, 'completed', 1, 'Agent ' || i, ${score}, ${score}, ?3, 1, ${createdAt}, ?3 from n`,
			parameters: [from, to, start],
		},
		{
			sql: `insert into board (agent_id, submission_id, agent_name, final_score, llm_score, achieved_at, rank_key)
				select agent_id, id, agent_display_name, final_score, llm_score, created_at,
					printf('1%04x%05x%011x', 10000 - cast(round(final_score * 100) as integer),
						100000 - cast(round(final_score * 1000) as integer), created_at) || id as key
				from submissions where id between ${submissionId("?1")} and ${submissionId("?2")} order by key`,
			parameters: [from, to],
		},
	];
}
