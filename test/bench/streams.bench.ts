// Measures one event to many watchers: the time until the last one has it, their memory, the cost of a minute without events, and what
// is left when they have gone. `npm run bench -- streams 500` changes the number of watchers.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { apiKeyOf } from "../../src/domain/credentials.ts";
import { type HttpCaller, openTask, randomAddress, registerCaller, until } from "../support/http.ts";
import { medianOf } from "../support/median.ts";
import { countMostHandles, countProcessHandles, readFileLimit, readProcessMemory, readProcessorMs } from "../support/processes.ts";
import { type RunningServer, startServerWith } from "../support/server.ts";

const DEFAULT_WATCHERS = 2_000;
const CONNECTING_AT_ONCE = 50;
/** The last of 2,000 watchers or fewer may wait 300 ms, of 4,000 600 ms, of 10,000 1.5 s. */
const BUDGET_MS_PER_WATCHER = 0.15;
const LEAST_BUDGET_MS = 300;
const ROUNDS = 5;
/** The judge checks of the published tasks take this long. */
const SETTLE_MS = 10_000;
const IDLE_MS = 60_000;
/** Watchers may use this share of the allowed file handles, because requests need some too. */
const SHARE_OF_HANDLES = 0.95;
const MEGABYTE = 1_048_576;

interface Watcher {
	isConnected: boolean;
	/** The time is in milliseconds of the monotonic clock. */
	bountyAt: number | null;
	close(): void;
}

/** Returns a watcher on its own socket. */
function watch(url: string, key: string): Watcher {
	const watcher: Watcher = { isConnected: false, bountyAt: null, close: () => call.destroy() };
	const headers = { Authorization: `Bearer ${key}`, "CF-Connecting-IP": randomAddress() };
	const call = request(`${url}/api/v1/bounties/stream`, { headers, agent: false }, (response) => {
		response.on("data", (chunk: Buffer) => {
			if (chunk.includes("event: connected")) watcher.isConnected = true;
			if (chunk.includes("event: bounty")) watcher.bountyAt ??= performance.now();
		});
		response.on("error", () => {});
	});
	call.on("error", () => {});
	call.end();
	return watcher;
}

/** Returns keys of as many agents, because an isolate that knows a key asks the database less often if a stream may continue. */
async function createKeys(server: RunningServer, total: number): Promise<string[]> {
	const keys = Array.from({ length: total }, () => apiKeyOf(randomBytes(28).toString("hex")));
	const rows = keys.map((key) => ({ id: randomUUID(), hash: createHash("sha256").update(key).digest("hex") }));
	const json = JSON.stringify(rows);
	const now = Date.now();
	await server.query(
		`insert into agents (id, display_name, tier, created_at)
		select value->>'id', 'watcher', 'anonymous', ? from json_each(?)`,
		...[now, json],
	);
	await server.query(
		`insert into api_keys (id, agent_id, hash, prefix, created_at, last_used_at)
		select value->>'id', value->>'id', value->>'hash', 'svc_sk_', ?1, ?1 from json_each(?2)`,
		...[now, json],
	);
	return keys;
}

async function connectAll(url: string, keys: readonly string[]): Promise<Watcher[]> {
	const watchers: Watcher[] = [];
	let room = keys.length;
	const handlesBefore = countMostHandles();
	while (watchers.length < room) {
		const added = keys.slice(watchers.length, Math.min(room, watchers.length + CONNECTING_AT_ONCE)).map((key) => watch(url, key));
		watchers.push(...added);
		await until(() => added.every(({ isConnected }) => isConnected), "the watchers", 60_000);
		if (watchers.length === CONNECTING_AT_ONCE) room = Math.min(room, findRoom(handlesBefore));
	}
	return watchers;
}

/** Returns for how many watchers the runtime has room, from what the first ones take: a process has a limit of open files. */
function findRoom(handlesBefore: number): number {
	const handles = (countMostHandles() - handlesBefore) / CONNECTING_AT_ONCE;
	const limit = readFileLimit();
	const room = Math.floor((SHARE_OF_HANDLES * limit - handlesBefore) / handles);
	console.log(
		`A process of the local runtime has ${handles.toFixed(1)} open handles for each watcher and may have ${limit} (ulimit -n): room for ${room} watchers.`,
	);
	return room;
}

/** Sends the request that publishes a task on an open connection, and returns when it was sent. */
function publish(server: RunningServer, poster: HttpCaller, { taskId, agent }: { taskId: string; agent: Agent }): Promise<number> {
	const headers = { Authorization: `Bearer ${poster.key}`, "CF-Connecting-IP": randomAddress(), "Content-Length": 0 };
	return new Promise((resolve, reject) => {
		const sentAt = performance.now();
		const call = request(`${server.url}/api/v1/tasks/${taskId}/publish`, { method: "POST", headers, agent }, (response) => {
			response.resume();
			response.on("end", () => (response.statusCode === 200 ? resolve(sentAt) : reject(new Error(`Publishing: ${response.statusCode}`))));
		});
		call.on("error", reject);
		call.end();
	});
}

async function runRound(server: RunningServer, { poster, agent, watchers }: { poster: HttpCaller; agent: Agent; watchers: Watcher[] }) {
	const { id: taskId } = await poster.call<{ id: string }>("POST", "/api/v1/tasks", {
		title: "Parse CSV files",
		budget_cents: 50_000,
		deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
		criteria: [{ name: "Parser", weight: 100 }],
	});
	for (const watcher of watchers) watcher.bountyAt = null;
	const processorBefore = readProcessorMs();
	const ownBefore = process.cpuUsage();
	const sentAt = await publish(server, poster, { taskId, agent });
	const answeredAt = performance.now();
	await until(() => watchers.every(({ bountyAt }) => bountyAt !== null), "the bounty", 30_000);
	const times = watchers.map(({ bountyAt }) => (bountyAt ?? 0) - sentAt).toSorted((a, b) => a - b);
	const at = (share: number) => Math.round(times[Math.ceil(share * times.length) - 1] ?? 0);
	const own = process.cpuUsage(ownBefore);
	const processor = { runtime: readProcessorMs() - processorBefore, watchers: Math.round((own.user + own.system) / 1000) };
	return { answer: Math.round(answeredAt - sentAt), first: Math.round(times[0] ?? 0), median: at(0.5), last: at(1), processor };
}

async function runRounds(server: RunningServer, { poster, watchers }: { poster: HttpCaller; watchers: Watcher[] }): Promise<void> {
	const agent = new Agent({ keepAlive: true });
	const budgetMs = Math.max(LEAST_BUDGET_MS, watchers.length * BUDGET_MS_PER_WATCHER);
	const lasts: number[] = [];
	const answers: number[] = [];
	try {
		for (let round = 1; round <= ROUNDS; round += 1) {
			const { answer, first, median, last, processor } = await runRound(server, { poster, agent, watchers });
			lasts.push(last);
			answers.push(answer);
			const verdict = last <= budgetMs ? "within" : "over";
			console.log(
				`Event ${round}, from sending the publish request: response after ${answer} ms; watchers have it after ${first} (first), ${median} (median), ${last} ms (last; ${verdict} the budget of ${budgetMs} ms). Processor time: ${processor.runtime} ms of the runtime, ${processor.watchers} ms of the watchers.`,
			);
		}
	} finally {
		agent.destroy();
	}
	console.log(
		`Budget: one event to ${watchers.length} watchers, the last one after ${medianOf(lasts)} ms (at most ${budgetMs} ms), the response to publishing after ${medianOf(answers)} ms; medians of ${ROUNDS} events.`,
	);
}

interface Use {
	readonly d1Calls: number;
	readonly d1RowsWritten: number;
	readonly bountyStatements: number;
}

/** Measures the cost of a minute without events. */
async function measureIdleness(server: RunningServer, watchers: number): Promise<void> {
	const read = async () => {
		const response = await fetch(`${server.url}/bench/use`);
		return { ...((await response.json()) as Use), processorMs: readProcessorMs() };
	};
	await delay(SETTLE_MS);
	const before = await read();
	await delay(IDLE_MS);
	const after = await read();
	const processorMs = after.processorMs - before.processorMs;
	const d1Calls = after.d1Calls - before.d1Calls;
	console.log(
		`An idle minute with ${watchers} watchers: ${processorMs} ms of processor time (${(processorMs / watchers).toFixed(2)} ms for each), ${d1Calls} D1 calls (${(d1Calls / watchers).toFixed(2)} for each: its key is checked every 15 s), ${after.d1RowsWritten - before.d1RowsWritten} rows written in D1, ${after.bountyStatements - before.bountyStatements} statements in the topic.`,
	);
}

export async function run([wanted]: readonly string[]): Promise<void> {
	const total = Number(wanted ?? DEFAULT_WATCHERS);
	const server = await startServerWith("./test/bench/counted/worker.ts");
	try {
		const poster = await registerCaller(server);
		const keys = await createKeys(server, total);
		const handlesBefore = countProcessHandles();
		const memoryBefore = readProcessMemory();
		const watchers = await connectAll(server.url, keys);
		const memory = readProcessMemory() - memoryBefore;
		const connected = watchers.length;
		console.log(
			`${connected} of ${total} watchers are connected. The runtime has ${countProcessHandles()} open handles (${handlesBefore} before) and takes ${Math.round(memory / MEGABYTE)} MB more memory, ${Math.round(memory / 1024 / connected)} KB for each watcher.`,
		);
		await runRounds(server, { poster, watchers });
		await measureIdleness(server, connected);
		for (const watcher of watchers) watcher.close();
		await delay(SETTLE_MS);
		// A relay without sockets leaves with the next bounty.
		await openTask(poster);
		await until(async () => !(await server.hasBountyRelays()), "the relays to leave", 60_000);
		await until(() => countProcessHandles() <= handlesBefore + 20, "the handles to be closed", 30_000);
		console.log(`All have gone: no relay has a socket; the runtime has ${countProcessHandles()} open handles.`);
	} finally {
		await server.close();
	}
}
