// Measures the responses that an agent reads in the main loop, in bytes and in tokens: `npm run bench -- sizes`. It reads whole
// responses, and their small forms. `--checkout <folder>` measures another version of the platform, which may lack the small forms.
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createTestHarness } from "wrangler";
import { z } from "zod";
import { SAMPLE, TASK } from "../../scripts/demo/work.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
/** JSON with ids and English takes between three and four bytes a token. */
const BYTES_PER_TOKEN = 3.5;
const LISTED_TASKS = 20;
const COMPETITORS = 5;
const POLLS = 3;
const TIMEOUT_MS = 600_000;

interface Step {
	readonly name: string;
	/** An agent reads it this many times in one loop. */
	readonly times: number;
	readonly whole: Request;
	/** An agent that requests only what it needs sends this. It has no use for a response that is "unneeded". */
	readonly small: Request | "unneeded";
}

interface Request {
	readonly path: string;
	readonly body?: unknown;
}

export async function run(args: readonly string[]): Promise<void> {
	const { values } = parseArgs({ args: [...args], options: { checkout: { type: "string" } } });
	const root = resolve(values.checkout ?? ROOT);
	const platform = createTestHarness({ root, workers: [{ configPath: "./wrangler.toml" }] });
	try {
		const call = callerOf((await platform.listen()).url.origin);
		for (const binding of ["DB", "SEARCH"] as const) await platform.getWorker().applyD1Migrations(binding);
		const { key, steps } = await prepare(call);
		console.log(`${"step".padEnd(24)}times   whole: bytes   tokens   small: bytes   tokens`);
		const sum = { whole: 0, small: 0 };
		for (const { name, times, whole, small } of steps) {
			const size = { whole: await measure(call, key, whole), small: small === "unneeded" ? null : await measure(call, key, small) };
			// An endpoint that a version does not have adds nothing.
			sum.whole += times * (size.whole ?? 0);
			sum.small += times * (size.small ?? 0);
			console.log(`${name.padEnd(24)}${String(times).padStart(5)}${columns(size.whole, 15)}${columns(size.small, 15)}`);
		}
		console.log(`${"one loop".padEnd(29)}${columns(sum.whole, 15)}${columns(sum.small, 15)}`);
	} finally {
		await platform.close();
	}
}

function columns(bytes: number | null, width: number): string {
	if (bytes === null) return `${"-".padStart(width)}${"-".padStart(9)}`;
	return `${String(bytes).padStart(width)}${String(Math.round(bytes / BYTES_PER_TOKEN)).padStart(9)}`;
}

type Call = ReturnType<typeof callerOf>;

/** Every request has its own IP address, because the limits count by IP address. */
function callerOf(origin: string) {
	let addresses = 0;
	return (key: string | null, { path, body }: Request): Promise<Response> => {
		addresses += 1;
		return fetch(`${origin}${path}`, {
			method: body === undefined ? "GET" : "POST",
			headers: {
				"CF-Connecting-IP": `198.18.${addresses >> 8}.${addresses & 255}`,
				...(key === null ? {} : { Authorization: `Bearer ${key}` }),
				...(body === undefined ? {} : { "Content-Type": "application/json" }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
	};
}

/** Returns the bytes of the body, or null if this version has no such endpoint. */
async function measure(call: Call, key: string, request: Request): Promise<number | null> {
	const response = await call(key, request);
	const bytes = (await response.bytes()).byteLength;
	if (response.status === 404) return null;
	if (!response.ok) throw new Error(`${request.path} is ${response.status}`);
	return bytes;
}

const identified = z.object({ id: z.string() });
const evaluated = z.object({ evaluated: z.boolean() });

/** Returns an open task with a leaderboard, among others, and what one agent has on it. */
async function prepare(call: Call) {
	const send = async (key: string, path: string, body: unknown = {}) => {
		const response = await call(key, { path, body });
		if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
		return identified.parse(await response.json()).id;
	};
	const register = async () =>
		z.object({ api_key: z.string() }).parse(await (await call(null, { path: "/api/v1/agent/register-anonymous", body: {} })).json())
			.api_key;
	const poster = await register();
	const deadline = new Date(Date.now() + 3 * 24 * 3_600_000).toISOString();
	const post = async (change: object = {}) => {
		const id = await send(poster, "/api/v1/tasks", { ...TASK, deadline, ...change });
		return send(poster, `/api/v1/tasks/${id}/publish`);
	};
	const taskId = await post();
	// Its submissions wait for a score, as those of a slower judge do.
	const waitingTaskId = await post({ eval_callback_url: "http://127.0.0.1:9/judge" });
	for (let number = 2; number < LISTED_TASKS; number += 1) await post();
	const keys = await Promise.all(Array.from({ length: COMPETITORS }, register));
	const [agent = ""] = keys;
	const files = SAMPLE;
	const submissions = [];
	for (const key of keys) submissions.push(await send(key, `/api/v1/tasks/${taskId}/quick-submit`, { files }));
	for (const [index, id] of submissions.entries()) await waitForScore(call, keys[index] ?? "", id);
	const waiting = await send(agent, `/api/v1/tasks/${waitingTaskId}/quick-submit`, { files });
	return { key: agent, steps: stepsOf({ taskId, files, submissionId: submissions[0] ?? "", waiting }) };
}

async function waitForScore(call: Call, key: string, id: string): Promise<void> {
	for (const giveUpAt = performance.now() + TIMEOUT_MS; performance.now() < giveUpAt; await delay(200)) {
		const response = await call(key, { path: `/api/v1/submissions/${id}` });
		if (evaluated.parse(await response.json()).evaluated) return;
	}
	throw new Error("A submission got no score.");
}

interface Loop {
	readonly taskId: string;
	readonly files: unknown;
	readonly submissionId: string;
	/** This submission has no score. */
	readonly waiting: string;
}

function stepsOf({ taskId, files, submissionId, waiting }: Loop): Step[] {
	const task = `/api/v1/tasks/${taskId}`;
	const submission = `/api/v1/submissions/${submissionId}`;
	const read = (path: string, small: string) => ({ whole: { path }, small: { path: small } });
	const send = (path: string) => ({ whole: { path, body: { files } }, small: { path, body: { files } } });
	const poll = `/api/v1/submissions/${waiting}`;
	return [
		{ name: "find a task", times: 1, ...read("/api/v1/tasks?limit=20", "/api/v1/tasks?limit=5") },
		{ name: "read the task", times: 1, ...read(task, `${task}?fields=title,description,input_spec,output_spec,criteria,deadline,quota`) },
		{ name: "check files", times: 1, ...send(`${task}/check`) },
		{ name: "submit", times: 1, ...send(`${task}/quick-submit`) },
		{ name: "poll", times: POLLS, ...read(poll, `${poll}?fields=status,evaluated,error_message`) },
		{ name: "read the result", times: 1, ...read(submission, `${submission}?fields=dimensions,position,quota`) },
		// The result itself has the weights of the criteria.
		{ name: "read the details", times: 1, whole: { path: `/api/submissions/${submissionId}/details` }, small: "unneeded" },
		{ name: "read the leaderboard", times: 1, ...read(`${task}/leaderboard?limit=10`, `${task}/leaderboard?limit=10&fields=me`) },
	];
}
