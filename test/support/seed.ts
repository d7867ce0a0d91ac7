// Many rows in few statements, for tests of ranks and of what a page costs.
import { env } from "cloudflare:workers";
import { usesTaskObjects } from "../../src/compose/house.ts";
import {
	type BoardSeed,
	boardCounts,
	competitorRows,
	NUMBERS,
	type SeedStatement,
	submissionRows,
	type TaskSeed,
	taskCardRows,
	taskRows,
	uuidSql,
} from "./seed-rows.ts";
import { queryAll } from "./storage.ts";
import { insertScored, inTask, queryTask } from "./task-object.ts";

export interface SeededEntry {
	readonly agentId: string;
	readonly submissionId: string;
	readonly score: number;
	readonly createdAt: number;
}

const prepare = ({ sql, parameters }: SeedStatement) => env.DB.prepare(sql).bind(...parameters);

/** Without the counters of agents, which cost more than the rows themselves. The next test file begins with all of them again. */
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
	await prepare(submissionRows({ from: 1, to: total, taskId, agentId, start })).run();
}

/** Open tasks of one poster, see {@link taskRows}. */
export async function seedTasks(seed: TaskSeed): Promise<void> {
	await prepare(usesTaskObjects ? taskCardRows(seed) : taskRows(seed)).run();
}

/** `total` agents, each with one scored submission and its leaderboard entry, see {@link competitorRows}. */
export async function seedLeaderboard({ total, ...board }: BoardSeed & { readonly total: number }): Promise<void> {
	const trigger = await env.DB.prepare("select sql from sqlite_schema where name = 'leaderboard_entry_added'").first<{ sql: string }>();
	await env.DB.batch([
		env.DB.prepare("drop trigger leaderboard_entry_added"),
		...competitorRows({ ...board, from: 1, to: total }).map(prepare),
		...boardCounts(board.taskId).map(prepare),
		env.DB.prepare(trigger?.sql ?? ""),
	]);
}

/** One scored submission of an agent, straight into storage. Refresh its entry afterwards: in the tables nothing else does. */
export async function seedSubmission({ taskId, ...entry }: SeededEntry & { taskId: string }): Promise<void> {
	if (usesTaskObjects) {
		await inTask(taskId, (task) => insertScored(task, entry));
		return;
	}
	const { agentId, submissionId, score, createdAt } = entry;
	await env.DB.prepare(
		`insert into submissions (id, task_id, agent_id, status, evaluated, agent_display_name, final_score, llm_score, evaluated_at, iteration, created_at, updated_at)
		values (?, ?, ?, 'completed', 1, ?, ?, ?, ?, 1, ?, ?)`,
	)
		.bind(submissionId, taskId, agentId, `Name of ${agentId.slice(-4)}`, score, score, createdAt, createdAt, createdAt)
		.run();
}

interface Multiplied {
	readonly taskId: string;
	readonly submissionId: string;
	readonly times: number;
	/** Different for each call in a test file, so that ids are too. */
	readonly family: number;
	/** Whether the copies' artifacts have other hashes. Only the original's artifact exists. */
	readonly areDifferent?: boolean;
}

/** Copies a scored submission with its leaderboard entry, each for an agent of its own and a millisecond after the one before. */
export async function multiplyEntry({ taskId, submissionId, times, family, areDifferent = false }: Multiplied): Promise<void> {
	const [agent, copy] = [uuidSql("i", 2 * family), uuidSql("i", 2 * family + 1)];
	const ofSubmission = "(select agent_id from submissions where id = ?3)";
	const copies = [
		{ table: usesTaskObjects ? "entries" : "agents", where: `source.${usesTaskObjects ? "agent_id" : "id"} = ${ofSubmission}` },
		{ table: "submissions", where: "source.id = ?3" },
		{ table: usesTaskObjects ? "board" : "leaderboard_entries", where: "source.submission_id = ?3" },
	];
	const replaced: Readonly<Record<string, Readonly<Record<string, string>>>> = {
		agents: { id: agent },
		entries: { agent_id: agent },
		submissions: {
			id: copy,
			agent_id: agent,
			created_at: "source.created_at + i",
			handed_in_at: "source.handed_in_at + i",
			artifact_key: "null",
			...(areDifferent ? { artifact_sha256: "printf('%064x', i)" } : {}),
		},
	};
	const entry = {
		submission_id: copy,
		agent_id: agent,
		rank_key: `substr(source.rank_key, 1, 5) || printf('%011x', source.achieved_at + i) || ${copy}`,
	};
	const query = <Row extends Record<string, SqlStorageValue>>(sql: string, ...parameters: unknown[]) =>
		usesTaskObjects ? queryTask<Row>(taskId, sql, ...parameters) : queryAll<Row>(sql, ...parameters);
	for (const { table, where } of copies) {
		const columns = (await query<{ name: string }>(`select name from pragma_table_info('${table}')`)).map(({ name }) => name);
		await query(copySql({ table, columns, where }, replaced[table] ?? entry), 1, times, submissionId);
	}
}

interface CopiedRow {
	readonly table: string;
	readonly columns: readonly string[];
	readonly where: string;
}

/** Inserts copies of one row of a table, as SQL; some columns replaced by expressions over the counter `i`. */
function copySql({ table, columns, where }: CopiedRow, replaced: Readonly<Record<string, string>>): string {
	const values = columns.map((column) => replaced[column] ?? `source.${column}`);
	return `${NUMBERS} insert into ${table} (${columns.join()}) select ${values.join()} from n, ${table} as source where ${where}`;
}
