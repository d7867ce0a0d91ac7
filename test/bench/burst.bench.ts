// Measures the last minute of one task or of several: many submissions as fast as possible, on the local server with the offline judge.
// None may be lost, all must end, and each board must follow from the scores: `npm run bench -- burst [submissions] [tasks]`, by default
// 5,000 on one.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type HttpCaller, openTask, randomAddress, registerCaller } from "../support/http.ts";
import { readProcessorMs } from "../support/processes.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const DEFAULT_SUBMISSIONS = 5_000;
const SUBMISSIONS_PER_AGENT = 10;
const REQUESTS_AT_ONCE = 32;
/** The 5,000 submissions must be sent within 60 s. */
const SENT_BUDGET_MS_PER_SUBMISSION = 12;
/** From the last submission to the last end it may take 90 s for 5,000. */
const BUDGET_MS_PER_SUBMISSION = 18;
const LEAST_BUDGET_MS = 10_000;
const SWEEP_INTERVAL_MS = 60_000;
const POLL_MS = 1_000;
const GIVE_UP_MS = 900_000;
const MAX_TRIES = 8;
const RETRY_MS = 500;
const BOARD_PAGE = 500;
const WORDS = ["parser", "quotes", "delimiter", "newline", "header", "escape"];
const SECTIONS = ["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"];

interface Burst {
	readonly taskIds: readonly string[];
	/** The platform has acknowledged the submissions with these ids. */
	readonly acknowledged: readonly string[];
	readonly retries: number;
	readonly startedAt: number;
	readonly endedAt: number;
}

const submitted = z.object({ id: z.string() });

/** Returns work with some of the rubric's words, so that an agent's submissions have different scores and many agents share one. */
function filesOf(index: number): Record<string, string> {
	const shown = WORDS.filter((_, bit) => ((index * 37) >> bit) % 2 === 1);
	const sections = SECTIONS.slice(0, index % (SECTIONS.length + 1));
	return { "SUBMISSION.md": sections.map((title) => `# ${title}\nText.\n`).join(""), "work.txt": `${shown.join("\n")}\n${index}\n` };
}

/** Submits once, as a client does that repeats a request without a response. Returns the id, and how often it repeated. */
async function submit(url: string, { taskId, key, index }: { taskId: string; key: string; index: number }) {
	for (let tried = 0; ; tried += 1) {
		const response = await fetch(`${url}/api/v1/tasks/${taskId}/quick-submit`, {
			method: "POST",
			headers: {
				Authorization: `Bearer ${key}`,
				"CF-Connecting-IP": randomAddress(),
				"Content-Type": "application/json",
				"Idempotency-Key": `burst-${index}`,
			},
			body: JSON.stringify({ files: filesOf(index) }),
		}).catch(() => null);
		const text = await response?.text().catch(() => null);
		if (response?.status === 201 && typeof text === "string") return { id: submitted.parse(JSON.parse(text)).id, retries: tried };
		if (tried === MAX_TRIES || (response !== null && response.status < 500)) throw new Error(`Submitting: ${response?.status} ${text}`);
		await delay(RETRY_MS);
	}
}

async function runAtOnce(total: number, work: (index: number) => Promise<void>): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next < total) await work(next++);
	};
	await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, worker));
}

async function burst(
	server: RunningServer,
	taskIds: readonly string[],
	{ agents, total }: { agents: readonly HttpCaller[]; total: number },
) {
	const acknowledged: string[] = [];
	let retries = 0;
	const startedAt = Date.now();
	await runAtOnce(total, async (index) => {
		const key = agents[index % agents.length]?.key ?? "";
		const taskId = taskIds[index % taskIds.length] ?? "";
		const sent = await submit(server.url, { taskId, key, index });
		acknowledged.push(sent.id);
		retries += sent.retries;
	});
	return { taskIds, acknowledged, retries, startedAt, endedAt: Date.now() };
}

/** Waits until no submission is running, while sweeps run each minute as in a deployment. */
async function waitForEnds(server: RunningServer, { taskIds, endedAt }: Burst): Promise<void> {
	let sweptAt = Date.now();
	const running = new Set(taskIds);
	while (Date.now() < endedAt + GIVE_UP_MS) {
		for (const taskId of running) {
			const [row] = await server.queryTask(taskId, "select count(*) as running from submissions where status = 'running'");
			if (row?.["running"] === 0) running.delete(taskId);
		}
		if (running.size === 0) return;
		await delay(POLL_MS);
		if (Date.now() - sweptAt < SWEEP_INTERVAL_MS) continue;
		sweptAt = Date.now();
		await server.sweep();
	}
}

const submissionRow = z.object({
	id: z.string(),
	agent_id: z.string(),
	status: z.string(),
	final_score: z.number().nullable(),
	created_at: z.number(),
	updated_at: z.number(),
	evaluations: z.number(),
});
type SubmissionRow = z.infer<typeof submissionRow>;

async function readRows(server: RunningServer, taskId: string): Promise<SubmissionRow[]> {
	const rows = await server.queryTask(
		taskId,
		`select id, agent_id, status, final_score, created_at, coalesce(evaluated_at, updated_at) as updated_at,
			(select count(*) from evaluations where submission_id = s.id) as evaluations
		from submissions as s`,
	);
	return z.array(submissionRow).parse(rows);
}

/** Orders rows by score, best first, then by time. */
function compareRows(a: SubmissionRow, b: SubmissionRow): number {
	return (b.final_score ?? 0) - (a.final_score ?? 0) || a.created_at - b.created_at || (a.id < b.id ? -1 : 1);
}

/** Returns the submissions that must be on the board, in its order. */
function expectedBoard(rows: readonly SubmissionRow[]): string[] {
	const best = Map.groupBy(rows.toSorted(compareRows), ({ agent_id }) => agent_id);
	return [...best.values()]
		.flatMap(([first]) => first ?? [])
		.toSorted(compareRows)
		.map(({ id }) => id);
}

const boardPage = z.object({ entries: z.array(z.object({ submissionId: z.string() })), next_cursor: z.string().nullable() });

async function readBoard(caller: HttpCaller, taskId: string): Promise<string[]> {
	const ids: string[] = [];
	for (let cursor: string | null = ""; cursor !== null; ) {
		const path = `/api/v1/tasks/${taskId}/leaderboard?limit=${BOARD_PAGE}${cursor === "" ? "" : `&cursor=${cursor}`}`;
		const page = boardPage.parse(await caller.call("GET", path));
		ids.push(...page.entries.map(({ submissionId }) => submissionId));
		cursor = page.next_cursor;
	}
	return ids;
}

/** Prints the results of the burst, and fails the command if a check fails. */
async function audit(server: RunningServer, poster: HttpCaller, { taskIds, acknowledged, startedAt, endedAt }: Burst): Promise<void> {
	const rows: SubmissionRow[] = [];
	let [wrongBoards, open] = [0, 0];
	for (const taskId of taskIds) {
		const ofTask = await readRows(server, taskId);
		rows.push(...ofTask);
		const expected = expectedBoard(ofTask.filter(({ id }) => acknowledged.includes(id)));
		const board = await readBoard(poster, taskId);
		if (board.length !== expected.length || board.some((id, index) => id !== expected[index])) wrongBoards += 1;
		const { status } = z.object({ status: z.string() }).parse(await poster.call("GET", `/api/v1/tasks/${taskId}`));
		if (status !== "closed") open += 1;
	}
	const known = new Set(rows.map(({ id }) => id));
	const lost = acknowledged.filter((id) => !known.has(id)).length + (rows.length - new Set(acknowledged).size);
	const unfinished = rows.filter(({ status }) => status !== "completed").length;
	const judgedTwice = rows.filter(({ evaluations }) => evaluations !== 1).length;
	console.log(`Lost or doubled: ${lost}. Not completed: ${unfinished}. Judged more or less than once: ${judgedTwice}.`);
	console.log(
		`Boards that differ from the best acknowledged submissions: ${wrongBoards}. Tasks that are not closed after their deadline: ${open}.`,
	);
	if (lost + unfinished + judgedTwice + wrongBoards + open > 0) process.exitCode = 1;
	const sentMs = endedAt - startedAt;
	const lastMs = Math.max(...rows.map(({ updated_at }) => updated_at)) - endedAt;
	const budgets = [SENT_BUDGET_MS_PER_SUBMISSION, BUDGET_MS_PER_SUBMISSION].map((each) =>
		Math.max(LEAST_BUDGET_MS, acknowledged.length * each),
	);
	const [sent, last, sentBudget, lastBudget] = [sentMs, lastMs, ...budgets].map((ms) => (ms / 1000).toFixed(1));
	console.log(
		`Budget: ${acknowledged.length} submissions on ${taskIds.length} tasks were sent in ${sent} s (at most ${sentBudget}), and the last one ended ${last} s after that (at most ${lastBudget}).`,
	);
}

function printCosts(server: RunningServer, { acknowledged, startedAt, endedAt, retries }: Burst): void {
	const costs = server.takeCosts().filter(({ status }) => status === 201);
	const mean = (of: "d1_calls" | "d1_rows_read" | "d1_rows_written" | "object_calls") =>
		(costs.reduce((sum, cost) => sum + cost[of], 0) / costs.length).toFixed(1);
	const seconds = (endedAt - startedAt) / 1000;
	console.log(
		`${acknowledged.length} submissions were acknowledged in ${seconds.toFixed(1)} s (${(acknowledged.length / seconds).toFixed(0)} a second), with ${retries} repeated requests.`,
	);
	console.log(
		`A submission's request: ${mean("d1_calls")} calls of D1, ${mean("d1_rows_read")} rows read, ${mean("d1_rows_written")} written; ${mean("object_calls")} calls of objects.`,
	);
}

export async function run([wanted, tasks]: readonly string[]): Promise<void> {
	const total = Number(wanted ?? DEFAULT_SUBMISSIONS);
	const server = await startServer();
	try {
		const poster = await registerCaller(server);
		const agents: HttpCaller[] = [];
		await runAtOnce(Math.ceil(total / SUBMISSIONS_PER_AGENT), async () => void agents.push(await registerCaller(server)));
		const description = WORDS.join(", ");
		const criteria = [{ name: "Parser", description, weight: 100 }];
		const taskIds: string[] = [];
		for (let made = 0; made < Number(tasks ?? 1); made += 1)
			taskIds.push(await openTask(poster, { criteria, max_submissions_per_agent: 15 }));
		server.takeCosts();
		const processorBefore = readProcessorMs();
		const made = await burst(server, taskIds, { agents, total });
		printCosts(server, made);
		// The deadline passes now. In a deployment an alarm does what this sweep does.
		for (const taskId of taskIds) await server.queryTask(taskId, "update tasks set deadline = ?", Date.now());
		await server.sweep();
		await waitForEnds(server, made);
		const processorMs = readProcessorMs() - processorBefore;
		console.log(`The runtime used ${(processorMs / total).toFixed(1)} ms of processor time for each submission, its evaluation included.`);
		await audit(server, poster, made);
	} finally {
		await server.close();
	}
}
