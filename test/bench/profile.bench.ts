// Shows where the hot routes use the processor's time, and which files a quick-submit and an evaluation run through: `npm run bench --
// profile [requests]`, 1,500 of each route by default. A file counts if the profiler has seen one of its functions.
import { findFreePort, startPlatform } from "../../scripts/support/platform.ts";
import { makeHome } from "../support/commands.ts";
import { type HttpCaller, openTask, randomAddress, registerCaller, until } from "../support/http.ts";
import { type Inspector, openInspector, type ProfiledPlace } from "../support/inspector.ts";

const DEFAULT_REQUESTS = 1_500;
const CONCURRENCY = 16;
/** An agent has 15 slots on a task. */
const SUBMISSIONS_PER_AGENT = 5;
const AGENTS = 20;
/** A deployment also logs a sample of the reads. */
const LOG_SAMPLE = "10";
/** The isolate waited in these samples. */
const IDLE = "(idle)";

/** Each part of the code has paths with this beginning; the first match counts. */
const PARTS: readonly (readonly [name: string, path: RegExp])[] = [
	["verb and duties in the object", /^(src\/(core|extensions)\/|src\/durable-objects\/|src\/compose\/task-|src\/db\/task\/|src\/domain\/)/],
	["query builder", /drizzle-orm/],
	["Hono: router, context, headers", /node_modules\/(hono|@hono)\//],
	["schema checks", /node_modules\/zod\//],
	["setting up dependencies, calls to objects", /^src\/compose\//],
	["middlewares, limits, authentication", /^src\/(http|app|index)/],
	["D1 client", /^src\/db\//],
	["clock, ids, hashes, log", /^src\/platform\//],
];

const partOf = ({ file, name }: ProfiledPlace): string => {
	if (file === null) return name === "(garbage collector)" ? "garbage collector" : "the runtime: sockets, SQL, limits, streams";
	return PARTS.find(([, path]) => path.test(file))?.[0] ?? "other libraries";
};

/** Sums the microseconds of each part for one request, without the time in which the isolate waited. */
function sumParts(places: readonly ProfiledPlace[], requests: number): Map<string, number> {
	const sums = new Map<string, number>();
	for (const place of places.filter(({ name }) => name !== IDLE)) {
		sums.set(partOf(place), (sums.get(partOf(place)) ?? 0) + place.microseconds / requests);
	}
	return sums;
}

function listFiles(places: readonly ProfiledPlace[]): readonly string[] {
	const files = places.flatMap(({ file }) => (file !== null && /^src\//.test(file) ? [file] : []));
	return [...new Set(files)].toSorted();
}

async function sendMany(requests: number, send: () => Promise<Response>): Promise<void> {
	let left = requests;
	const work = async () => {
		while (left > 0) {
			left -= 1;
			const response = await send();
			await response.arrayBuffer();
			if (!response.ok) throw new Error(`${response.url} returned ${response.status}.`);
		}
	};
	await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

interface World {
	readonly url: string;
	readonly inspector: Inspector;
	readonly requests: number;
}

async function profileRoutes({ url, inspector, requests }: World): Promise<void> {
	const [poster, agent] = [await registerCaller({ url }), await registerCaller({ url })];
	const taskId = await openTask(poster);
	const path = `/api/v1/tasks/${taskId}`;
	const id = await submitTo(taskId, agent, "quotes, newline");
	await agent.call("PUT", "/api/v1/workspace/kv/notes", { value: "quotes" });
	const routes = {
		task: path,
		tasks: "/api/v1/tasks",
		submission: `/api/v1/submissions/${id}`,
		status: `/api/submissions/${id}/status`,
		board: `${path}/leaderboard`,
		entry: "/api/v1/workspace/kv/notes",
		whoami: "/api/v1/agent/whoami",
	};
	const columns: Map<string, number>[] = [];
	for (const route of Object.values(routes)) {
		const send = () => fetch(url + route, { headers: { Authorization: `Bearer ${agent.key}`, "CF-Connecting-IP": randomAddress() } });
		await sendMany(requests / 5, send);
		columns.push(sumParts(await inspector.profile(() => sendMany(requests, send)), requests));
	}
	const most = (part: string) => Math.max(...columns.map((sums) => sums.get(part) ?? 0));
	const parts = [...new Set(columns.flatMap((sums) => [...sums.keys()]))].toSorted((a, b) => most(b) - most(a));
	console.log(rowOf(["microseconds of a request", ...Object.keys(routes)]));
	for (const part of parts) console.log(rowOf([part, ...columns.map((sums) => (sums.get(part) ?? 0).toFixed(0))]));
	const total = (sums: Map<string, number>) => [...sums.values()].reduce((sum, part) => sum + part, 0);
	console.log(rowOf(["together", ...columns.map((sums) => total(sums).toFixed(0))]));
}

const rowOf = ([name = "", ...cells]: readonly string[]): string => name.padEnd(46) + cells.map((cell) => cell.padStart(12)).join("");

/** Judging runs while agents submit, so one profile contains both. */
async function countFilesOfSubmissions({ url, inspector }: World): Promise<void> {
	const poster = await registerCaller({ url });
	const agents = await Promise.all(Array.from({ length: AGENTS }, () => registerCaller({ url })));
	const taskId = await openTask(poster);
	const places = await inspector.profile(async () => {
		for (let round = 0; round < SUBMISSIONS_PER_AGENT; round += 1) {
			for (const agent of agents) await submitTo(taskId, agent, `quotes, newline ${round}`);
		}
	});
	const files = listFiles(places);
	console.log(`\nA quick-submit and its evaluation run through ${files.length} files:\n${files.join("\n")}`);
}

/** Submits, and waits for the score. */
async function submitTo(taskId: string, agent: HttpCaller, text: string): Promise<string> {
	const { id } = await agent.call<{ id: string }>("POST", `/api/v1/tasks/${taskId}/quick-submit`, { files: { "work.txt": text } });
	await until(async () => (await agent.call<{ evaluated: boolean }>("GET", `/api/v1/submissions/${id}`)).evaluated, "the score");
	return id;
}

export async function run([wanted]: readonly string[]): Promise<void> {
	const [home, inspectorPort] = [await makeHome(), await findFreePort()];
	const place = { host: "127.0.0.1", port: home.port, stateDir: home.stateDir };
	const platform = await startPlatform(place, { show: () => undefined, vars: { JUDGE_CHECK: "false", LOG_SAMPLE }, inspectorPort });
	const inspector = await openInspector(inspectorPort);
	try {
		const world = { url: platform.url, inspector, requests: Number(wanted ?? DEFAULT_REQUESTS) };
		await profileRoutes(world);
		await countFilesOfSubmissions(world);
	} finally {
		inspector.close();
		await platform.stop();
		await home.remove();
	}
}
