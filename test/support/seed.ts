// Many rows in few statements, for tests of ranks and of what a page costs.
import { env } from "cloudflare:workers";
import { COUNTED_PREFIXES, MAX_UNCOUNTED } from "../../src/db/ranks.ts";

export interface SeededEntry {
	readonly agentId: string;
	readonly submissionId: string;
	readonly score: number;
	readonly createdAt: number;
}

/** A UUID of version 7 with a counter in it, as SQL: in the order of the counter. */
function uuidSql(counter: string, family: number): string {
	return `printf('01900000-0000-7000-${(0x8000 + family).toString(16)}-%012x', ${counter})`;
}

const NUMBERS = "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)";

/** Without the search index and the counters of agents, which cost more than the rows themselves. The next test file begins with all of them again. */
export async function dropCountersOfAgents(): Promise<void> {
	const { results } = await env.DB.prepare("select name from sqlite_schema where type = 'trigger' and name not like 'leaderboard_%'").all<{
		name: string;
	}>();
	if (results.length > 0) await env.DB.batch(results.map(({ name }) => env.DB.prepare(`drop trigger "${name}"`)));
}

/** Submissions of one agent on one task. */
export async function seedSubmissions({
	taskId,
	agentId,
	total,
	start,
}: {
	taskId: string;
	agentId: string;
	total: number;
	start: number;
}): Promise<void> {
	await env.DB.prepare(
		`${NUMBERS} insert into submissions (id, task_id, agent_id, status, evaluated, agent_display_name, final_score, llm_score, evaluated_at, iteration, created_at, updated_at)
		select ${uuidSql("i", 9)}, ?2, ?3, 'completed', 1, 'Agent', 50, 50, ?4, 1, ?4 + i, ?4 from n`,
	)
		.bind(total, taskId, agentId, start)
		.run();
}

/** Open tasks of one poster: `total` of them, deadlines one second apart from `start`, every tenth in the category and mode. */
export async function seedTasks({
	posterId,
	from,
	to,
	start,
	family = 1,
}: {
	posterId: string;
	from: number;
	to: number;
	start: number;
	/** Keeps the ids of tasks with the same numbers apart. */
	family?: number;
}): Promise<void> {
	await env.DB.prepare(
		`with recursive n(i) as (select ?1 union all select i + 1 from n where i < ?2)
		insert into tasks (id, company_id, status, title, category, budget_cents, deadline, eval_mode, test_weight, llm_weight, eval_image,
			eval_network, eval_memory_mb, eval_timeout_seconds, max_submissions_per_agent, created_at)
		select ${uuidSql("i", family)}, ?3, 'open', 'Task ' || i, case when i % 10 = 0 then 'seeded' else 'other' end, 10000, ?4 + i * 1000,
			case when i % 10 < 5 then 'llm' else 'container' end, case when i % 10 < 5 then 0 else 100 end, case when i % 10 < 5 then 100 else 0 end,
			'image', 0, 1024, 600, 15, ?4 from n`,
	)
		.bind(from, to, posterId, start)
		.run();
}

interface LeaderboardSeed {
	readonly taskId: string;
	readonly total: number;
	readonly start: number;
	/** Keeps the ids of several boards apart. */
	readonly family: number;
	/** Whether all have the same score, so that time alone ranks them. */
	readonly isTie: boolean;
}

/** `total` agents, each with one scored submission and its leaderboard entry; times are spread over twenty days. */
export async function seedLeaderboard({ taskId, total, start, family, isTie }: LeaderboardSeed): Promise<void> {
	const [agentId, submissionId] = [uuidSql("i", 16 * family + 1), uuidSql("i", 16 * family + 2)];
	const score = isTie ? "50.0" : "((i * 7919) % 10001) / 100.0";
	const createdAt = "?3 + (i * 104729) % 1728000000";
	const trigger = await env.DB.prepare("select sql from sqlite_schema where name = 'leaderboard_entry_added'").first<{ sql: string }>();
	await env.DB.batch([
		env.DB.prepare(
			`${NUMBERS} insert into agents (id, display_name, tier, created_at) select ${agentId}, 'Agent ' || i, 'anonymous', ?2 from n`,
		).bind(total, start),
		env.DB.prepare(
			`${NUMBERS} insert into submissions (id, task_id, agent_id, status, evaluated, agent_display_name, final_score, llm_score, evaluated_at, iteration, created_at, updated_at)
			select ${submissionId}, ?2, ${agentId}, 'completed', 1, 'Agent ' || i, ${score}, ${score}, ?3, 1, ${createdAt}, ?3 from n`,
		).bind(total, taskId, start),
		env.DB.prepare("drop trigger leaderboard_entry_added"),
		env.DB.prepare(
			`insert into leaderboard_entries (task_id, agent_id, submission_id, agent_name, final_score, llm_score, achieved_at, rank_key)
			select task_id, agent_id, id, agent_display_name, final_score, llm_score, created_at,
				printf('1%04x%011x', 10000 - cast(round(final_score * 100) as integer), created_at) || id as key
			from submissions where task_id = ?1 order by key`,
		).bind(taskId),
		// What the trigger would have counted, in one go.
		env.DB.prepare(
			`insert into leaderboard_counts (task_id, prefix_length, prefix, agents)
			select task_id, length, prefix, agents from (
				select task_id, l.value->>0 as length, substr(rank_key, 1, l.value->>0) as prefix, count(*) as agents,
					sum(count(*)) over (partition by l.value->>0, substr(rank_key, 1, l.value->>1)) as entries_of_parent
				from leaderboard_entries, json_each(?2) l where task_id = ?1 group by 1, 2, 3
			) where entries_of_parent > ?3`,
		).bind(taskId, JSON.stringify(COUNTED_PREFIXES), MAX_UNCOUNTED),
		env.DB.prepare(trigger?.sql ?? ""),
	]);
}

/** One scored submission of an agent, straight into storage. The leaderboard is not touched. */
export async function seedSubmission({ taskId, agentId, submissionId, score, createdAt }: SeededEntry & { taskId: string }): Promise<void> {
	await env.DB.prepare(
		`insert into submissions (id, task_id, agent_id, status, evaluated, agent_display_name, final_score, llm_score, evaluated_at, iteration, created_at, updated_at)
		values (?, ?, ?, 'completed', 1, ?, ?, ?, ?, 1, ?, ?)`,
	)
		.bind(submissionId, taskId, agentId, `Name of ${agentId.slice(-4)}`, score, score, createdAt, createdAt, createdAt)
		.run();
}

interface Multiplied {
	readonly submissionId: string;
	readonly times: number;
	/** Different for each call in a test file, so that ids are too. */
	readonly family: number;
	/** Whether the copies' artifacts have other hashes. Only the original's artifact exists. */
	readonly areDifferent?: boolean;
}

/** Copies a scored submission with its leaderboard entry, each for an agent of its own and a millisecond after the one before. */
export async function multiplyEntry({ submissionId, times, family, areDifferent = false }: Multiplied): Promise<void> {
	const [agent, copy] = [uuidSql("i", 2 * family), uuidSql("i", 2 * family + 1)];
	const ofSubmission = "(select agent_id from submissions where id = ?2)";
	const inserts = [
		await copySql("agents", `source.id = ${ofSubmission}`, { id: agent }),
		await copySql("submissions", "source.id = ?2", {
			id: copy,
			agent_id: agent,
			created_at: "source.created_at + i",
			handed_in_at: "source.handed_in_at + i",
			artifact_key: "null",
			...(areDifferent ? { artifact_sha256: "printf('%064x', i)" } : {}),
		}),
		await copySql("leaderboard_entries", "source.submission_id = ?2", {
			submission_id: copy,
			agent_id: agent,
			rank_key: `substr(source.rank_key, 1, 5) || printf('%011x', source.achieved_at + i) || ${copy}`,
		}),
	];
	await env.DB.batch(inserts.map((sql) => env.DB.prepare(sql).bind(times, submissionId)));
}

/** Inserts copies of one row of a table, as SQL; some columns replaced by expressions over the counter `i`. */
async function copySql(table: string, where: string, replaced: Readonly<Record<string, string>>): Promise<string> {
	const { results } = await env.DB.prepare(`select name from pragma_table_info('${table}')`).all<{ name: string }>();
	const columns = results.map(({ name }) => name);
	const values = columns.map((column) => replaced[column] ?? `source.${column}`);
	return `${NUMBERS} insert into ${table} (${columns.join()}) select ${values.join()} from n, ${table} as source where ${where}`;
}
