// Writes many rows in few statements, for tests of ranks and of the cost of a page.
import { env } from "cloudflare:workers";
import type { TaskRevision } from "../../src/core/competition/search/rules.ts";
import { indexTasks } from "../../src/core/competition/search/search-index.ts";
import { countingDatabase } from "./deps.ts";
import { measureValues } from "./intercepted-d1.ts";
import {
	agentRows,
	type BoardSeed,
	competitorRows,
	NUMBERS,
	type SeedStatement,
	submissionCardRows,
	submissionRows,
	type TaskSeed,
	taskCardRows,
	uuidSql,
} from "./seed-rows.ts";
import { insertScored, inTask, queryTask } from "./task-object.ts";

export interface SeededEntry {
	readonly agentId: string;
	readonly submissionId: string;
	readonly score: number;
	readonly createdAt: number;
}

const prepare = ({ sql, parameters }: SeedStatement) => env.DB.prepare(sql).bind(...parameters);

const runInTask = (taskId: string, { sql, parameters }: SeedStatement) => queryTask(taskId, sql, ...parameters);

interface SubmissionsSeed {
	readonly taskId: string;
	readonly posterId: string;
	readonly agentId: string;
	readonly total: number;
	readonly start: number;
}

/** Inserts scored submissions of one agent on one task, with their cards. */
export async function seedSubmissions({ total, ...seed }: SubmissionsSeed): Promise<void> {
	const rows = { from: 1, to: total, ...seed };
	await runInTask(seed.taskId, submissionRows(rows));
	await prepare(submissionCardRows(rows)).run();
}

/** Inserts open tasks of one poster, see {@link taskCardRows}. */
export async function seedTasks(seed: TaskSeed): Promise<void> {
	await prepare(taskCardRows(seed)).run();
}

/** Inserts `total` agents, each with one scored submission and its leaderboard entry, see {@link competitorRows}. */
export async function seedLeaderboard({ taskId, total, ...board }: BoardSeed & { taskId: string; total: number }): Promise<void> {
	const range = { from: 1, to: total, ...board };
	await prepare(agentRows(range)).run();
	for (const statement of competitorRows(range)) await runInTask(taskId, statement);
}

/** Inserts one scored submission of an agent with its entry directly into storage. */
export async function seedSubmission({ taskId, ...entry }: SeededEntry & { taskId: string }): Promise<void> {
	await inTask(taskId, (task) => insertScored(task, entry));
}

interface EntryCopies {
	readonly taskId: string;
	readonly submissionId: string;
	readonly times: number;
	/** A number that differs for each call in a test file, so that the ids differ too. */
	readonly family: number;
	/** True if the artifacts of the copies have other hashes. Only the artifact of the original exists. */
	readonly areDifferent?: boolean;
}

/** Copies a scored submission with its leaderboard entry, each for a new agent and a millisecond after the one before. */
export async function multiplyEntry({ taskId, submissionId, times, family, areDifferent = false }: EntryCopies): Promise<void> {
	const [agent, copy] = [uuidSql("i", 2 * family), uuidSql("i", 2 * family + 1)];
	const ofSubmission = "(select agent_id from submissions where id = ?3)";
	const copies = [
		{ table: "entries", where: `source.agent_id = ${ofSubmission}` },
		{ table: "submissions", where: "source.id = ?3" },
		{ table: "signatures", where: "source.submission_id = ?3" },
		{ table: "board", where: "source.submission_id = ?3" },
	];
	const replaced: Readonly<Record<string, Readonly<Record<string, string>>>> = {
		entries: { agent_id: agent },
		submissions: {
			id: copy,
			agent_id: agent,
			created_at: "source.created_at + i",
			handed_in_at: "source.handed_in_at + i",
			artifact_key: "null",
			...(areDifferent ? { artifact_sha256: "printf('%064x', i)" } : {}),
		},
		signatures: { submission_id: copy, agent_id: agent, ...(areDifferent ? { files_sha256: "printf('%064x', i)" } : {}) },
	};
	const entry = {
		submission_id: copy,
		agent_id: agent,
		rank_key: `substr(source.rank_key, 1, 5) || printf('%011x', source.achieved_at + i) || ${copy}`,
	};
	for (const { table, where } of copies) {
		const columns = (await queryTask<{ name: string }>(taskId, `select name from pragma_table_info('${table}')`)).map(({ name }) => name);
		await queryTask(taskId, copySql({ table, columns, where }, replaced[table] ?? entry), 1, times, submissionId);
	}
}

interface CopiedRow {
	readonly table: string;
	readonly columns: readonly string[];
	readonly where: string;
}

/** Returns SQL that copies one row of a table. Expressions over the counter `i` replace some columns. */
function copySql({ table, columns, where }: CopiedRow, replaced: Readonly<Record<string, string>>): string {
	const values = columns.map((column) => replaced[column] ?? `source.${column}`);
	return `${NUMBERS} insert into ${table} (${columns.join()}) select ${values.join()} from n, ${table} as source where ${where}`;
}

/** Adds tasks to the search index without Task objects. Returns the size in bytes of the largest value that was written. */
export async function seedSearch(tasks: readonly TaskRevision[]): Promise<number> {
	const { database, largest } = measureValues(env.SEARCH);
	await indexTasks(countingDatabase(database), tasks);
	return largest();
}
