// How D1 grows over two years: `npm run bench -- storage`. Bytes per submission are measured by writing rows of usual length through
// the real schema. `--criteria 8` and `--submissions-per-task 20` change the assumptions.
import type { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import * as z from "zod";
import { MIGRATIONS, openMigratedDatabase } from "../../scripts/migration/database.ts";

const SUBMISSIONS = 6_000;
const AGENTS = 500;
const RATES = [10_000, 1_000_000];
const DAYS = [30, 90, 180, 365, 730];
const GB = 1e9;
const MAX_D1 = 10 * GB;
const START = Date.UTC(2026, 10, 22);
const MODEL = "provider/model-large-2026";
const SHA256 = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d";

let made = 0;

/** Shaped like the platform's ids, and in the order of their creation. */
function nextId(): string {
	made += 1;
	const time = (START + made).toString(16).padStart(12, "0");
	return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

interface Assumptions {
	readonly criteria: number;
	readonly submissionsPerTask: number;
}

export async function run(args: readonly string[]): Promise<void> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			criteria: { type: "string", default: "8" },
			"submissions-per-task": { type: "string", default: "20" },
		},
	});
	const bytes = measure({ criteria: Number(values.criteria), submissionsPerTask: Number(values["submissions-per-task"]) });
	console.log(`\nA submission: ${bytes} bytes in D1.`);
	for (const rate of RATES) printGrowth(rate, bytes);
}

function printGrowth(rate: number, bytes: number): void {
	console.log(`\n${rate.toLocaleString("en")} submissions a day`);
	for (const days of DAYS) console.log(`${`day ${days}`.padStart(8)}${`${((days * rate * bytes) / GB).toFixed(2)} GB`.padStart(14)}`);
	console.log(`A database of 10 GB is full after ${Math.floor(MAX_D1 / (rate * bytes))} days.`);
}

/** Bytes per submission, its share of the task's rows included. */
function measure(assumed: Assumptions): number {
	const db = openMigratedDatabase(MIGRATIONS);
	const agents = Array.from({ length: AGENTS }, () => insertAgent(db));
	db.exec("vacuum");
	const empty = sizeOf(db);
	db.exec("begin");
	for (let done = 0; done < SUBMISSIONS; done += assumed.submissionsPerTask) insertTask(db, agents, assumed);
	db.exec("commit; vacuum");
	console.log(`${"table or index".padEnd(36)}   bytes per submission`);
	for (const [name, size] of tableSizes(db)) {
		const each = Math.round(size / SUBMISSIONS);
		if (each >= 10) console.log(`${name.padEnd(36)}${String(each).padStart(8)}`);
	}
	return Math.round((sizeOf(db) - empty) / SUBMISSIONS);
}

const pages = z.object({ size: z.number() });

function sizeOf(db: DatabaseSync): number {
	return pages.parse(db.prepare("select page_count * page_size as size from pragma_page_count, pragma_page_size").get()).size;
}

const sizesByName = z.array(z.object({ name: z.string(), size: z.number() }));

function tableSizes(db: DatabaseSync): Map<string, number> {
	const rows = db.prepare("select name, sum(pgsize) as size from dbstat group by name order by size desc").all();
	return new Map(sizesByName.parse(rows).map(({ name, size }) => [name, size]));
}

type Value = string | number | null;

function insert(db: DatabaseSync, table: string, row: Readonly<Record<string, Value>>): void {
	const columns = Object.keys(row);
	const text = `insert into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`;
	db.prepare(text).run(...Object.values(row));
}

function insertAgent(db: DatabaseSync): string {
	const id = nextId();
	insert(db, "agents", { id, display_name: `Agent of some name ${id.slice(-4)}`, tier: "verified", created_at: START });
	return id;
}

function insertTask(db: DatabaseSync, agents: readonly string[], { criteria, submissionsPerTask }: Assumptions): void {
	const id = nextId();
	insert(db, "tasks", {
		id,
		company_id: agents[0] ?? "",
		status: "closed",
		title: "Parse CSV files with quotes and line breaks",
		description: "A parser that handles quotes and line breaks. ".repeat(40),
		category: "coding",
		budget_cents: 50_000,
		deadline: START,
		eval_mode: "llm",
		test_weight: 0,
		llm_weight: 100,
		eval_network: 0,
		eval_memory_mb: 1024,
		eval_timeout_seconds: 600,
		max_submissions_per_agent: 15,
		created_at: START,
		published_at: START,
		closed_at: START,
	});
	for (let position = 0; position < criteria; position += 1) {
		const description = "The parser splits cells at delimiters and keeps those in quotes. ".repeat(3);
		insert(db, "criteria", { task_id: id, name: `Criterion ${position}`, description, weight: 100 / criteria, position });
	}
	for (let index = 0; index < submissionsPerTask; index += 1) {
		insertSubmission(db, { taskId: id, agentId: agents[(index * 7 + 1) % agents.length] ?? "", criteria });
	}
}

/** A submission that a model has judged once, with the rows that every step leaves for longer than a day. No webhook listens. */
function insertSubmission(db: DatabaseSync, { taskId, agentId, criteria }: { taskId: string; agentId: string; criteria: number }): void {
	const id = nextId();
	const [jobId, evaluationId] = [nextId(), nextId()];
	const reportKey = `reports/${id}/${evaluationId}.json`;
	const names = Array.from({ length: criteria }, (_, index) => `Criterion ${index}`);
	const dimensions = names.map((criterion) => ({ criterion, score: 82.5 }));
	const samples = JSON.stringify(Object.fromEntries(names.map((name) => [name, [{ model: MODEL, level: 4, score: 82.5 }]])));
	insert(db, "submissions", {
		id,
		task_id: taskId,
		agent_id: agentId,
		status: "running",
		agent_display_name: "Agent of some name",
		artifact_key: `artifacts/${evaluationId}.zip`,
		artifact_bytes: 120_000,
		artifact_sha256: SHA256,
		missing_sections: "[]",
		iteration: 1,
		created_at: START,
		updated_at: START,
	});
	db.prepare(
		"insert into task_entries (task_id, agent_id, quota_used, quota_limit, created_at) values (?, ?, 1, 15, ?) on conflict do update set quota_used = quota_used + 1",
	).run(taskId, agentId, START);
	const job = {
		id: jobId,
		submission_id: id,
		iteration: 1,
		round: "submission",
		attempts: 1,
		party: agentId,
		origin: "https://bounties.example.com",
	};
	const times = { due_at: START, give_up_at: START, created_at: START, finished_at: START };
	insert(db, "evaluation_jobs", { ...job, ...times, outcome: "scored", progress: null });
	insert(db, "evaluations", {
		id: evaluationId,
		submission_id: id,
		iteration: 1,
		job_id: jobId,
		round: "submission",
		eval_mode: "llm",
		rubric_version: 1,
		artifact_sha256: SHA256,
		judge: "openai",
		models: JSON.stringify([MODEL]),
		prompt_version: "2026-11-01",
		comparison_group: 1,
		final_score: 82.5,
		llm_score: 82.5,
		dimensions: JSON.stringify(dimensions),
		samples,
		report_key: reportKey,
		receipt: receiptOf({ id, taskId, evaluationId, names, samples }),
		created_at: START,
	});
	const usage = { calls: criteria, input_tokens: 90_000, output_tokens: 6_000, cost_micro_usd: 41_000 };
	insert(db, "judge_usage", { id: nextId(), task_id: taskId, submission_id: id, iteration: 1, model: MODEL, ...usage, created_at: START });
	db.prepare(
		"update submissions set status = 'completed', evaluated = 1, final_score = 82.5, llm_score = 82.5, comparison_group = 1, evaluated_at = ?, report_key = ? where id = ?",
	).run(START, reportKey, id);
	db.prepare(
		`insert into leaderboard_entries (task_id, agent_id, submission_id, agent_name, final_score, llm_score, achieved_at, rank_key)
		values (?, ?, ?, 'Agent of some name', 82.5, 82.5, ?, ?) on conflict (task_id, agent_id) do nothing`,
	).run(taskId, agentId, id, START, `106d6${START.toString(16).padStart(11, "0")}${id}`);
}

interface Receipt {
	readonly id: string;
	readonly taskId: string;
	readonly evaluationId: string;
	readonly names: readonly string[];
	readonly samples: string;
}

/** As long as a real one: claims of the same names, and 64 bytes of signature. */
function receiptOf({ id, taskId, evaluationId, names, samples }: Receipt): string {
	const claims = {
		submission_id: id,
		task_id: taskId,
		evaluation_id: evaluationId,
		round: "submission",
		artifact_sha256: SHA256,
		rubric_sha256: SHA256,
		weights: Object.fromEntries(names.map((name) => [name, 12.5])),
		mode_weights: { test: 0, llm: 100 },
		judge: "openai",
		models: [MODEL],
		prompt_version: "2026-11-01",
		image_digest: null,
		samples: JSON.parse(samples),
		scores: { final: 82.5, test: null, llm: 82.5, container: null, criteria: Object.fromEntries(names.map((name) => [name, 82.5])) },
		iat: START / 1000,
	};
	const header = { alg: "EdDSA", typ: "evaluation-receipt+jwt", kid: "A".repeat(43) };
	const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
	return `${encode(header)}.${encode(claims)}.${"A".repeat(86)}`;
}
