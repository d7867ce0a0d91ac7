// Measures how D1 grows over two years: `npm run bench -- storage`. It writes rows of usual length through the real schema and counts
// bytes per submission. `--submissions-per-task 20` changes an assumption, and `--equal-descriptions` gives all tasks the same length.
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
const MEAN_DESCRIPTION = 1_840;
/**
 * Descriptions have a tenth to nineteen tenths of the mean length. With equal lengths, chance would decide how many cards fit into a
 * page of 4,096 bytes.
 */
const LENGTHS = Array.from({ length: 19 }, (_, index) => Math.round((MEAN_DESCRIPTION * (index + 1)) / 10));
const DESCRIPTION = "A parser that handles quotes and line breaks. ".repeat(80);
/** The budget is in bytes. */
const BUDGET = 400;

let made = 0;

/** Returns ids with the form of the platform's, in the order of their creation. */
function nextId(): string {
	made += 1;
	const time = (START + made).toString(16).padStart(12, "0");
	return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

export async function run(args: readonly string[]): Promise<void> {
	const { values } = parseArgs({
		args: [...args],
		options: { "submissions-per-task": { type: "string", default: "20" }, "equal-descriptions": { type: "boolean", default: false } },
	});
	const lengths = values["equal-descriptions"] ? [MEAN_DESCRIPTION] : LENGTHS;
	const bytes = measure(Number(values["submissions-per-task"]), lengths);
	console.log(`\nA submission: ${bytes} bytes in D1 for ever (at most ${BUDGET}; ${bytes <= BUDGET ? "within" : "over"}).`);
	if (bytes > BUDGET) process.exitCode = 1;
	for (const rate of RATES) printGrowth(rate, bytes);
}

function printGrowth(rate: number, bytes: number): void {
	console.log(`\n${rate.toLocaleString("en")} submissions a day`);
	for (const days of DAYS) console.log(`${`day ${days}`.padStart(8)}${`${((days * rate * bytes) / GB).toFixed(2)} GB`.padStart(14)}`);
	console.log(`A database of 10 GB is full after ${Math.floor(MAX_D1 / (rate * bytes))} days.`);
}

/** Returns the bytes per submission, with its share of the task's rows. */
function measure(submissionsPerTask: number, lengths: readonly number[]): number {
	const db = openMigratedDatabase(MIGRATIONS);
	const agents = Array.from({ length: AGENTS }, () => insertAgent(db));
	db.exec("vacuum");
	const empty = sizeOf(db);
	db.exec("begin");
	for (let task = 0; task * submissionsPerTask < SUBMISSIONS; task += 1) {
		// The lengths come in an order without a pattern.
		insertTask(db, agents, { submissions: submissionsPerTask, length: lengths[(task * 7) % lengths.length] ?? 0 });
	}
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

type Value = string | number | Uint8Array | null;

/** Cards of submissions store ids as bytes. */
const bytesOf = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");

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

/** Inserts the card of a task and those of its submissions. The object of the task has everything else. */
function insertTask(db: DatabaseSync, agents: readonly string[], { submissions, length }: { submissions: number; length: number }): void {
	const id = nextId();
	const [companyId = ""] = agents;
	const times = { created_at: START, published_at: START, closed_at: START, settled_at: START, deadline: START };
	const counts = { competitor_count: submissions, submission_count: submissions, max_submissions_per_agent: 15 };
	const text = { title: "Parse CSV files with quotes and line breaks", description: DESCRIPTION.slice(0, length), category: "coding" };
	const facts = { status: "closed", budget_cents: 50_000, fee_bps: 1_000, eval_mode: "llm", hidden: 0 };
	const winner = { winner_id: agents[1] ?? "", winner_name: "Agent of some name", winner_score: 92.5 };
	insert(db, "task_cards", { id, number: 60, company_id: companyId, ...facts, ...winner, ...text, ...counts, ...times });
	for (let index = 0; index < submissions; index += 1) {
		insert(db, "submission_cards", {
			...{ id: bytesOf(nextId()), number: 3, task_id: bytesOf(id), company_id: bytesOf(companyId) },
			agent_id: bytesOf(agents[(index * 7 + 1) % agents.length] ?? ""),
			...{ status: "completed", agent_display_name: "Agent of some name", final_score: 82.5, llm_score: 82.5, iteration: 1, is_own: 0 },
			...{ evaluated_at: START, created_at: START },
		});
	}
}
