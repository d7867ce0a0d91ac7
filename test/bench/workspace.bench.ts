// Measures puts and gets of the workspace per second, and the cost of one of each: `npm run bench -- workspace`.
import { fileURLToPath } from "node:url";
import { createTestHarness, type TestHarness } from "wrangler";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
const CONCURRENCY = 16;
const ROUNDS = 3;
const KB = 1_024;

interface Operation {
	readonly name: string;
	readonly requests: number;
	request(index: number): { readonly path: string; readonly init?: RequestInit };
}

/** Each request's log line contains its cost. */
interface Cost {
	readonly d1_calls: number;
	readonly object_calls: number;
}

let addresses = 0;

/** Every request has its own IP address, because the limits count by IP address. */
function nextAddress(): string {
	addresses += 1;
	return `198.19.${(addresses >> 8) & 255}.${addresses & 255}`;
}

export async function run(): Promise<void> {
	const platform = createTestHarness({ root: ROOT, workers: [{ configPath: "./wrangler.toml" }] });
	try {
		const { url } = await platform.listen();
		for (const binding of ["DB", "SEARCH"] as const) await platform.getWorker().applyD1Migrations(binding);
		const keys = await Promise.all(Array.from({ length: CONCURRENCY }, () => register(url.origin)));
		console.log("operation                     requests/s   object calls   D1 calls (key look-up included)");
		for (const operation of operationsOf(keys)) {
			const rate = await measure(url.origin, operation);
			const cost = await costOf(platform, url.origin, operation);
			const [objects, d1] = [String(cost.object_calls), String(cost.d1_calls)];
			console.log(`${operation.name.padEnd(28)}${rate.toFixed(0).padStart(12)}${objects.padStart(15)}${d1.padStart(11)}`);
		}
	} finally {
		await platform.close();
	}
}

async function register(origin: string): Promise<string> {
	const headers = { "CF-Connecting-IP": nextAddress() };
	const response = await fetch(`${origin}/api/v1/agent/register-anonymous`, { method: "POST", headers });
	const { api_key } = (await response.json()) as { api_key: string };
	return api_key;
}

/** One agent's object is the bottleneck, so several agents are measured too. Puts come first, because gets read what they wrote. */
function operationsOf(keys: readonly string[]): Operation[] {
	const key = (index: number) => `bench/${index % 50}`;
	const authorized = (agent: string) => ({ Authorization: `Bearer ${agent}` });
	const of = (index: number) => keys[index % keys.length] ?? "";
	const put = (agent: string, index: number, bytes: number) => ({
		path: `/api/v1/workspace/kv/${key(index)}`,
		init: {
			method: "PUT",
			headers: { ...authorized(agent), "Content-Type": "application/json" },
			body: JSON.stringify({ value: "x".repeat(bytes - 2) }),
		},
	});
	const get = (agent: string, index: number) => ({ path: `/api/v1/workspace/kv/${key(index)}`, init: { headers: authorized(agent) } });
	const [first = ""] = keys;
	return [
		{ name: "PUT 1 KB, one agent", requests: 400, request: (index) => put(first, index, KB) },
		{ name: "GET 1 KB, one agent", requests: 400, request: (index) => get(first, index) },
		{ name: "PUT 1 KB, 16 agents", requests: 800, request: (index) => put(of(index), (index / keys.length) | 0, KB) },
		{ name: "GET 1 KB, 16 agents", requests: 800, request: (index) => get(of(index), (index / keys.length) | 0) },
		{ name: "PUT 1 MB, one agent", requests: 64, request: (index) => put(first, index % 8, KB * KB) },
		{ name: "GET 1 MB, one agent", requests: 64, request: (index) => get(first, index % 8) },
		{ name: "GET list of 50 keys", requests: 400, request: () => ({ path: "/api/v1/workspace/kv", init: { headers: authorized(first) } }) },
	];
}

/** Returns the best of several rounds, because a noisy moment says nothing. */
async function measure(origin: string, operation: Operation): Promise<number> {
	let best = 0;
	for (let round = 0; round < ROUNDS; round += 1) best = Math.max(best, await requestsPerSecond(origin, operation));
	return best;
}

async function requestsPerSecond(origin: string, operation: Operation): Promise<number> {
	let next = 0;
	const startedAt = performance.now();
	const work = async () => {
		while (next < operation.requests) await send(origin, operation, next++);
	};
	await Promise.all(Array.from({ length: CONCURRENCY }, work));
	return (operation.requests * 1000) / (performance.now() - startedAt);
}

async function send(origin: string, { request }: Operation, index: number): Promise<void> {
	const { path, init } = request(index);
	const response = await fetch(`${origin}${path}`, { ...init, headers: { ...init?.headers, "CF-Connecting-IP": nextAddress() } });
	await response.arrayBuffer();
	if (!response.ok) throw new Error(`${path} answered ${response.status}`);
}

/** Measures one more request by the platform's own log. */
async function costOf(platform: TestHarness, origin: string, operation: Operation): Promise<Cost> {
	platform.clearLogs();
	await send(origin, operation, 0);
	for (let attempt = 0; attempt < 50; attempt += 1) {
		const line = platform.getLogs().find(({ message }) => message.includes('"event":"request"'));
		if (line !== undefined) return JSON.parse(line.message.slice(line.message.indexOf("{"))) as Cost;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	throw new Error("The platform has not logged the request.");
}
