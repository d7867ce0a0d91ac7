// One event to many watchers: how long from the call that makes it until the last one has it, and what is left when they have gone.
import { Agent, request } from "node:http";
import { type HttpCaller, randomAddress, registerCaller, until } from "../support/http.ts";
import { countProcessHandles, readProcessorMs } from "../support/processes.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const DEFAULT_WATCHERS = 2_000;
const CONNECTING_AT_ONCE = 50;
/** For the last of 2,000 watchers or fewer 300 ms, of 4,000 600 ms, of 10,000 1.5 s. */
const BUDGET_MS_PER_WATCHER = 0.15;
const LEAST_BUDGET_MS = 300;
const ROUNDS = 5;

interface Watcher {
	isConnected: boolean;
	/** Of the monotonic clock. */
	bountyAt: number | null;
	close(): void;
}

/** A watcher on a socket of its own. */
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

async function connectAll(url: string, key: string, total: number): Promise<Watcher[]> {
	const watchers: Watcher[] = [];
	while (watchers.length < total) {
		const more = Math.min(CONNECTING_AT_ONCE, total - watchers.length);
		for (let added = 0; added < more; added += 1) watchers.push(watch(url, key));
		await until(() => watchers.every(({ isConnected }) => isConnected), "the watchers", 60_000);
	}
	return watchers;
}

/** Sends the call that publishes a task, on a connection that is open already; when it was sent. */
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

function medianOf(times: readonly number[]): number {
	return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/** `npm run bench -- streams 500` takes another number of watchers. */
export async function run([wanted]: readonly string[]): Promise<void> {
	const total = Number(wanted ?? DEFAULT_WATCHERS);
	const budgetMs = Math.max(LEAST_BUDGET_MS, total * BUDGET_MS_PER_WATCHER);
	const server = await startServer();
	const agent = new Agent({ keepAlive: true });
	try {
		const poster = await registerCaller(server);
		const handlesBefore = countProcessHandles();
		const watchers = await connectAll(server.url, poster.key, total);
		console.log(
			`${watchers.length} watchers are connected; the runtime has ${countProcessHandles()} open handles (${handlesBefore} before).`,
		);
		const lasts: number[] = [];
		const answers: number[] = [];
		for (let round = 1; round <= ROUNDS; round += 1) {
			const { answer, first, median, last, processor } = await runRound(server, { poster, agent, watchers });
			lasts.push(last);
			answers.push(answer);
			const verdict = last <= budgetMs ? "within" : "over";
			console.log(`  Processor time meanwhile: ${processor.runtime} ms of the runtime, ${processor.watchers} ms of the watchers.`);
			console.log(
				`Event ${round}, from sending the publish call: answered after ${answer} ms; watchers have it after ${first} (first), ${median} (median), ${last} ms (last; ${verdict} the budget of ${budgetMs} ms).`,
			);
		}
		console.log(
			`Budget: one event to ${total} watchers, the last one after ${medianOf(lasts)} ms (at most ${budgetMs} ms), the publish call answered after ${medianOf(answers)} ms; medians of ${ROUNDS} events.`,
		);
		for (const watcher of watchers) watcher.close();
		await until(async () => !(await server.hasStorage("bounties")), "the topic to be left", 60_000);
		agent.destroy();
		await until(() => countProcessHandles() <= handlesBefore + 20, "the handles to be closed", 30_000);
		console.log(
			`All have gone: the topic has nothing stored, so no relay has a socket; the runtime has ${countProcessHandles()} open handles.`,
		);
	} finally {
		agent.destroy();
		await server.close();
	}
}
