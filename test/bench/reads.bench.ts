// What reading costs in D1, with few rows and with many: `npm run bench -- reads [rows]`, a million unless told otherwise. Tasks,
// the submissions of an agent and of a task, and a leaderboard have so many rows each.
import { z } from "zod";
import { type HttpCaller, openTask, randomAddress, registerCaller } from "../support/http.ts";
import {
	boardCounts,
	competitorRows,
	type SeedRange,
	type SeedStatement,
	submissionRows,
	taskRows,
	uuidSql,
} from "../support/seed-rows.ts";
import { type RequestCost, type RunningServer, startServer } from "../support/server.ts";

const FEW = 1_000;
const DEFAULT_MANY = 1_000_000;
/** In one statement: a longer one holds the database for seconds. */
const ROWS_PER_STATEMENT = 20_000;
const MAX_TRIES = 5;
const BOARD_FAMILY = 3;

type Kind = "read" | "list" | "rank" | "write";

/** At most so many sequential calls of D1, the key's look-up included. */
const MOST_CALLS: Readonly<Record<Kind, number>> = { read: 2, list: 2, rank: 2, write: 3 };
/** At most so many rows, the key's included. Of a rank: 190 counters, 40 entries, and the page around it. */
const MOST_ROWS: Readonly<Record<Kind, number | null>> = { read: 60, list: 60, rank: 300, write: null };

interface Measured {
	readonly name: string;
	readonly kind: Kind;
	readonly caller: HttpCaller;
	readonly path: string;
	readonly body?: unknown;
}

interface World {
	readonly poster: HttpCaller;
	/** Has all submissions on a task of its own. */
	readonly agent: HttpCaller;
	readonly busyTask: string;
	readonly boardTask: string;
	readonly start: number;
}

const identified = z.object({ id: z.string() });

async function createWorld(server: RunningServer): Promise<World> {
	const [poster, agent] = [await registerCaller(server), await registerCaller(server)];
	const [busyTask, boardTask] = [await openTask(poster), await openTask(poster)];
	return { poster, agent, busyTask, boardTask, start: Date.now() };
}

/** Inserts rows without the triggers, which keep an index and counters that no read here looks at, and writes the board's counts in one go. */
async function fill(server: RunningServer, world: World, range: SeedRange): Promise<void> {
	const { poster, agent, busyTask, boardTask, start } = world;
	const run = (statement: SeedStatement) => insertOnce(server, statement);
	for (let from = range.from; from <= range.to; from += ROWS_PER_STATEMENT) {
		const part = { from, to: Math.min(range.to, from + ROWS_PER_STATEMENT - 1) };
		await run(taskRows({ ...part, posterId: poster.agentId, start: start + 86_400_000 }));
		await run(submissionRows({ ...part, taskId: busyTask, agentId: agent.agentId, start }));
		for (const statement of competitorRows({
			...part,
			taskId: boardTask,
			start: start - 1_800_000_000,
			family: BOARD_FAMILY,
			isTie: false,
		}))
			await run(statement);
	}
	for (const statement of boardCounts(boardTask)) await run(statement);
	await run({ sql: "insert into received_submissions select ?1, id, 'Task' from submissions", parameters: [poster.agentId] });
}

/** The runtime closes a connection now and then while it is busy. What a statement has inserted by then, its repetition leaves alone. */
async function insertOnce(server: RunningServer, { sql, parameters }: SeedStatement, tries = MAX_TRIES): Promise<void> {
	try {
		await server.query(sql.replace(/\binsert into\b/, "insert or ignore into"), ...parameters);
	} catch (error) {
		if (tries <= 1) throw error;
		await insertOnce(server, { sql, parameters }, tries - 1);
	}
}

async function withoutTriggers(server: RunningServer, work: () => Promise<void>): Promise<void> {
	const triggers = z
		.array(z.object({ name: z.string(), sql: z.string() }))
		.parse(await server.query("select name, sql from sqlite_schema where type = 'trigger'"));
	for (const { name } of triggers) await server.query(`drop trigger "${name}"`);
	await work();
	for (const { sql } of triggers) await server.query(sql);
}

const entry = z.object({ agent_id: z.string(), submission_id: z.string(), rank_key: z.string() });

/** The entry in the middle of the board. */
async function findMiddle(server: RunningServer, { boardTask }: World, total: number) {
	const sql = "select agent_id, submission_id, rank_key from leaderboard_entries where task_id = ? order by rank_key limit 1 offset ?";
	return entry.parse((await server.query(sql, boardTask, Math.floor(total / 2)))[0]);
}

const cursorOf = (...values: readonly unknown[]) => Buffer.from(JSON.stringify(values)).toString("base64url");

async function measuredRequests(server: RunningServer, world: World, total: number): Promise<Measured[]> {
	const { poster, agent, busyTask, boardTask, start } = world;
	const [middle, competitor] = [await findMiddle(server, world, total), await registerCaller(server)];
	// Its key acts for the agent in the middle from its first use on.
	await server.query("update api_keys set agent_id = ? where agent_id = ?", middle.agent_id, competitor.agentId);
	const [row] = await server.query(`select ${uuidSql("?", 9)} as id`, total / 2);
	const { id: middleSubmission } = identified.parse(row);
	const middleDeadline = new Date(start + 86_400_000 + total * 500).toISOString();
	const lists = (caller: HttpCaller, paths: Readonly<Record<string, string>>): Measured[] =>
		Object.entries(paths).map(([name, path]) => ({ name, kind: "list", caller, path }));
	const board = `/api/v1/tasks/${boardTask}/leaderboard`;
	return [
		...lists(agent, {
			tasks: "/api/v1/tasks?limit=20",
			"tasks, from the middle": `/api/v1/tasks?limit=20&cursor=${encodeURIComponent(middleDeadline)}`,
			"tasks of a category and mode": "/api/v1/tasks?limit=20&category=seeded&eval_mode=llm",
			"tasks, for everyone": "/api/public/tasks?limit=20",
			"submissions of an agent": "/api/v1/submissions?limit=20",
			"submissions of an agent, from the middle": `/api/v1/submissions?limit=20&cursor=${cursorOf(middleSubmission)}`,
			board: `${board}?limit=20`,
		}),
		...lists(poster, {
			"tasks of a poster": "/api/v1/tasks?limit=20&owner=me",
			"submissions of a task": `/api/v1/tasks/${boardTask}/submissions?limit=20`,
			"submissions of a task, by score": `/api/v1/tasks/${boardTask}/submissions?limit=20&sort=score`,
			"submissions of all tasks": "/api/dashboard/submissions?limit=20",
		}),
		{ name: "task", kind: "read", caller: agent, path: `/api/v1/tasks/${busyTask}` },
		{ name: "submission", kind: "read", caller: agent, path: `/api/v1/submissions/${middleSubmission}` },
		{ name: "rank: board from the middle", kind: "rank", caller: agent, path: `${board}?limit=20&cursor=${cursorOf(middle.rank_key)}` },
		{ name: "rank: board with the caller's own", kind: "rank", caller: competitor, path: `${board}?limit=20` },
		{ name: "rank: submission with its rank", kind: "rank", caller: competitor, path: `/api/v1/submissions/${middle.submission_id}` },
		{
			name: "quick-submit",
			kind: "write",
			caller: poster,
			path: `/api/v1/tasks/${boardTask}/quick-submit`,
			body: { files: { "a.txt": "parser" } },
		},
	];
}

/** With a key that no isolate has seen, so that its look-up is part of the cost. */
async function cost(server: RunningServer, { caller, path, body }: Measured): Promise<RequestCost> {
	const { api_key } = z.object({ api_key: z.string() }).parse(await caller.call("POST", "/api/api-keys", {}));
	const headers = { Authorization: `Bearer ${api_key}`, "CF-Connecting-IP": randomAddress(), "Content-Type": "application/json" };
	const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
	const response = await fetch(`${server.url}${path}`, { ...sent, headers });
	const text = await response.text();
	if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
	return server.costOf(response);
}

async function measureAll(server: RunningServer, world: World, total: number) {
	const measured = [];
	for (const request of await measuredRequests(server, world, total)) measured.push({ request, cost: await cost(server, request) });
	return measured;
}

export async function run([wanted]: readonly string[]): Promise<void> {
	const many = Number(wanted ?? DEFAULT_MANY);
	const server = await startServer({ vars: { JUDGE_CHECK: "false" } });
	try {
		const world = await createWorld(server);
		await withoutTriggers(server, () => fill(server, world, { from: 1, to: FEW }));
		const few = await measureAll(server, world, FEW);
		const startedAt = performance.now();
		await withoutTriggers(server, () => fill(server, world, { from: FEW + 1, to: many }));
		console.log(`${many} rows of each kind in ${((performance.now() - startedAt) / 1000).toFixed(0)} s.\n`);
		print(few, await measureAll(server, world, many), many);
	} finally {
		await server.close();
	}
}

type Measurements = Awaited<ReturnType<typeof measureAll>>;

function print(few: Measurements, many: Measurements, total: number): void {
	console.log(
		`${"request".padEnd(44)}${"kind".padEnd(7)}${"calls".padStart(5)}${`rows of ${FEW}`.padStart(14)}${`rows of ${total}`.padStart(17)}`,
	);
	const broken: string[] = [];
	for (const [index, { request, cost: last }] of many.entries()) {
		const first = few[index]?.cost ?? last;
		const { name, kind } = request;
		console.log(
			`${name.padEnd(44)}${kind.padEnd(7)}${String(last.d1_calls).padStart(5)}${String(first.d1_rows_read).padStart(14)}${String(last.d1_rows_read).padStart(17)}`,
		);
		const most = MOST_ROWS[kind];
		if (last.d1_calls > MOST_CALLS[kind] || (most !== null && last.d1_rows_read > most)) broken.push(`${name} costs too much`);
		if (kind === "list" && last.d1_rows_read !== first.d1_rows_read) broken.push(`${name} costs more of many rows than of few`);
	}
	const largest = (kind: Kind, of: "d1_calls" | "d1_rows_read") =>
		Math.max(...many.filter(({ request }) => request.kind === kind).map(({ cost: { [of]: value } }) => value));
	for (const fault of broken) console.log(`Broken: ${fault}.`);
	if (broken.length > 0) process.exitCode = 1;
	console.log(
		`Budget: a page of 20 reads ${largest("list", "d1_rows_read")} rows (at most ${MOST_ROWS.list}), as many of ${total} as of ${FEW}.`,
	);
	console.log(`Budget: a rank reads ${largest("rank", "d1_rows_read")} rows (at most ${MOST_ROWS.rank}).`);
	console.log(
		`Budget: ${largest("read", "d1_calls")} calls of D1 for a read, ${largest("list", "d1_calls")} for a list, ${largest("write", "d1_calls")} for a write (at most ${MOST_CALLS.read}, ${MOST_CALLS.list}, ${MOST_CALLS.write}).`,
	);
}
