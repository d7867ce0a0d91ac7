// Measures what lists cost in D1, with few cards and with many: `npm run bench -- reads [rows]`, a million by default. That is the
// number of tasks, and of submissions of an agent. test/api/budgets.test.ts counts the rows in the objects of tasks.
import { z } from "zod";
import { type HttpCaller, openTask, randomAddress, registerCaller } from "../support/http.ts";
import { type SeedRange, type SeedStatement, submissionCardRows, taskCardRows, uuidSql } from "../support/seed-rows.ts";
import { type RequestCost, type RunningServer, startServer } from "../support/server.ts";

const FEW = 1_000;
const DEFAULT_MANY = 1_000_000;
/** A longer statement would block the database for seconds. */
const ROWS_PER_STATEMENT = 20_000;
const MAX_TRIES = 5;

type Kind = "read" | "list" | "write";

/** These are the most sequential calls to D1, the key's lookup included. */
const MOST_CALLS: Readonly<Record<Kind, number>> = { read: 2, list: 2, write: 3 };
/** These are the most rows, the key's included. */
const MOST_ROWS: Readonly<Record<Kind, number | null>> = { read: 60, list: 60, write: null };

interface Measured {
	readonly name: string;
	readonly kind: Kind;
	readonly caller: HttpCaller;
	readonly path: string;
	readonly body?: unknown;
}

interface World {
	readonly poster: HttpCaller;
	/** This agent has all submissions on its own task. */
	readonly agent: HttpCaller;
	readonly busyTask: string;
	readonly start: number;
}

const identified = z.object({ id: z.string() });

async function createWorld(server: RunningServer): Promise<World> {
	const [poster, agent] = [await registerCaller(server), await registerCaller(server)];
	return { poster, agent, busyTask: await openTask(poster), start: Date.now() };
}

async function fill(server: RunningServer, { poster, agent, busyTask, start }: World, range: SeedRange): Promise<void> {
	for (let from = range.from; from <= range.to; from += ROWS_PER_STATEMENT) {
		const part = { from, to: Math.min(range.to, from + ROWS_PER_STATEMENT - 1), posterId: poster.agentId };
		await insertOnce(server, taskCardRows({ ...part, start: start + 86_400_000 }));
		await insertOnce(server, submissionCardRows({ ...part, taskId: busyTask, agentId: agent.agentId, start }));
	}
}

/** The runtime sometimes closes a connection while it is busy. The repeated statement skips the rows that are inserted already. */
async function insertOnce(server: RunningServer, { sql, parameters }: SeedStatement, tries = MAX_TRIES): Promise<void> {
	try {
		await server.query(sql.replace(/\binsert into\b/, "insert or ignore into"), ...parameters);
	} catch (error) {
		if (tries <= 1) throw error;
		await insertOnce(server, { sql, parameters }, tries - 1);
	}
}

const cursorOf = (...values: readonly unknown[]) => Buffer.from(JSON.stringify(values)).toString("base64url");

async function measuredRequests(server: RunningServer, world: World, total: number): Promise<Measured[]> {
	const { poster, agent, busyTask, start } = world;
	const [row] = await server.query(`select ${uuidSql("?", 9)} as id`, total / 2);
	const { id: middleSubmission } = identified.parse(row);
	const middleDeadline = new Date(start + 86_400_000 + total * 500).toISOString();
	const lists = (caller: HttpCaller, paths: Readonly<Record<string, string>>): Measured[] =>
		Object.entries(paths).map(([name, path]) => ({ name, kind: "list", caller, path }));
	return [
		...lists(agent, {
			tasks: "/api/v1/tasks?limit=20",
			"tasks, from the middle": `/api/v1/tasks?limit=20&cursor=${encodeURIComponent(middleDeadline)}`,
			"tasks of a category and mode": "/api/v1/tasks?limit=20&category=seeded&eval_mode=llm",
			"tasks, for everyone": "/api/public/tasks?limit=20",
			"submissions of an agent": "/api/v1/submissions?limit=20",
			"submissions of an agent, from the middle": `/api/v1/submissions?limit=20&cursor=${cursorOf(middleSubmission)}`,
		}),
		...lists(poster, {
			"tasks of a poster": "/api/v1/tasks?limit=20&owner=me",
			"submissions of all tasks": "/api/dashboard/submissions?limit=20",
		}),
		{ name: "task", kind: "read", caller: agent, path: `/api/v1/tasks/${busyTask}` },
		{
			name: "quick-submit",
			kind: "write",
			caller: poster,
			path: `/api/v1/tasks/${busyTask}/quick-submit`,
			body: { files: { "a.txt": "parser" } },
		},
	];
}

/** Uses a key that no isolate has seen, so that its lookup is part of the cost. */
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
		await fill(server, world, { from: 1, to: FEW });
		const few = await measureAll(server, world, FEW);
		const startedAt = performance.now();
		await fill(server, world, { from: FEW + 1, to: many });
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
	console.log(
		`Budget: ${largest("read", "d1_calls")} calls of D1 for a read, ${largest("list", "d1_calls")} for a list, ${largest("write", "d1_calls")} for a write (at most ${MOST_CALLS.read}, ${MOST_CALLS.list}, ${MOST_CALLS.write}).`,
	);
}
