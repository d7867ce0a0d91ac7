// Builds SQL that writes many rows in few statements. Tests in the runtime (seed.ts) and benchmarks outside of it run it.
export interface SeedStatement {
	readonly sql: string;
	readonly parameters: readonly (string | number)[];
}

/** The numbers of the rows to insert. */
export interface SeedRange {
	readonly from: number;
	readonly to: number;
}

/** Selects the numbers of a range, as `n(i)`. The first two parameters are its ends. */
export const NUMBERS = "with recursive n(i) as (select ?1 union all select i + 1 from n where i < ?2)";

/** Returns SQL for a UUID of version 7 that increases with the counter. */
export function uuidSql(counter: string, family: number): string {
	return `printf('01900000-0000-7000-${(0x8000 + family).toString(16)}-%012x', ${counter})`;
}

/** Returns SQL that converts an id to bytes, as cards of submissions store it. */
export const bytes = (id: string) => `unhex(replace(${id}, '-', ''))`;

interface SubmissionSeed extends SeedRange {
	readonly agentId: string;
	readonly start: number;
}

/** Inserts submissions of one agent into the object of their task. */
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

/** Inserts the cards of the same submissions. */
export function submissionCardRows({ from, to, taskId, posterId, agentId, start }: SubmissionCardSeed): SeedStatement {
	return {
		sql: `${NUMBERS} insert into submission_cards (id, number, task_id, agent_id, company_id, status, agent_display_name, final_score, judge_score, llm_score, evaluated_at, iteration, is_own, created_at)
			select ${bytes(uuidSql("i", 9))}, 1, ${bytes("?3")}, ${bytes("?4")}, ${bytes("?5")}, 'completed', 'Agent', 50, 50, 50, ?6, 1, 0, ?6 + i
			from n`,
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
 * Inserts the cards of open tasks of one poster, without Task objects, which lists do not need. Deadlines are one second apart, beginning
 * after `start`. Every tenth task has the category `seeded`, and half of the tasks have the mode `llm`.
 */
export function taskCardRows({ from, to, posterId, start, family = 1 }: TaskSeed): SeedStatement {
	return {
		sql: `${NUMBERS} insert into task_cards (id, number, company_id, status, title, category, budget_cents, fee_bps, deadline, eval_mode,
				max_submissions_per_agent, competitor_count, submission_count, hidden, created_at)
			select ${uuidSql("i", family)}, 1, ?3, 'open', 'Task ' || i, case when i % 10 = 0 then 'seeded' else 'other' end, 10000, 1000, ?4 + i * 1000,
				case when i % 10 < 5 then 'llm' else 'container' end, 15, 0, 0, 0, ?4 from n`,
		parameters: [from, to, posterId, start],
	};
}

export interface BoardSeed {
	readonly start: number;
	/** Keeps the ids of several boards apart. */
	readonly family: number;
	/** True if all submissions have the same score, so that only the time ranks them. */
	readonly isTie: boolean;
}

const competitorId = (family: number) => uuidSql("i", 16 * family + 1);

/** Inserts agents for {@link competitorRows}. */
export function agentRows({ from, to, start, family }: Pick<BoardSeed, "start" | "family"> & SeedRange): SeedStatement {
	return {
		sql: `${NUMBERS} insert into agents (id, display_name, tier, created_at) select ${competitorId(family)}, 'Agent ' || i, 'anonymous', ?3 from n`,
		parameters: [from, to, start],
	};
}

/** Inserts agents with one scored submission and its entry each, into the object of a task. Times are spread over twenty days. */
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
			sql: `insert into board (agent_id, submission_id, agent_name, final_score, llm_score, samples, achieved_at, rank_key)
				select agent_id, id, agent_display_name, final_score, llm_score, 1, created_at,
					printf('2%04x%011x', 10000 - cast(round(final_score * 100) as integer), created_at) || id as key
				from submissions where id between ${submissionId("?1")} and ${submissionId("?2")} order by key`,
			parameters: [from, to],
		},
	];
}
