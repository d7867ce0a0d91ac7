// Throughput of the hot routes against a bare Hono route with as many D1 calls, in the same run: `npm run bench -- routes`.
// The budget is that of "ratio". The last column is against a bare route that asks a rate limit too, as each of ours does: here the
// limit is emulated and costs as much as a D1 call; where the platform is deployed it is a counter beside the Worker.
import { fileURLToPath } from "node:url";
import { createTestHarness } from "wrangler";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
const REQUESTS = 400;
const CONCURRENCY = 16;
const ROUNDS = 3;
/** What a route must reach of the bare one. */
const TARGET_RATIO = 0.7;

interface Route {
	readonly name: string;
	/** Sequential D1 round trips that the route makes while the isolate knows the key, as it does for one that calls again and again. */
	readonly d1Calls: number;
	request(index: number): { readonly path: string; readonly init?: RequestInit };
}

interface Json {
	readonly [field: string]: unknown;
}

let addresses = 0;

/** Every request from an address of its own, because the limits count by address. */
function nextAddress(): string {
	addresses += 1;
	return `198.18.${(addresses >> 8) & 255}.${addresses & 255}`;
}

export async function run(): Promise<void> {
	const platform = createTestHarness({ root: ROOT, workers: [{ configPath: "./wrangler.toml" }] });
	const bare = createTestHarness({ root: ROOT, workers: [{ configPath: "./test/bench/bare/wrangler.toml" }] });
	try {
		const [platformUrl, bareUrl] = [(await platform.listen()).url.origin, (await bare.listen()).url.origin];
		await platform.getWorker().applyD1Migrations("DB");
		const routes = await prepareRoutes(platformUrl);
		console.log("route                       D1 calls   requests/s   bare   ratio   limited bare   ratio");
		for (const route of routes) {
			const { ours, theirs, limited } = await measure(route, platformUrl, bareUrl);
			const ratio = ours / theirs;
			const limitedColumns = `${limited.toFixed(0).padStart(15)}${(ours / limited).toFixed(2).padStart(8)}`;
			const verdict = ratio >= TARGET_RATIO ? "" : `  below ${TARGET_RATIO}`;
			console.log(
				`${route.name.padEnd(28)}${String(route.d1Calls).padStart(8)}${ours.toFixed(0).padStart(13)}${theirs.toFixed(0).padStart(7)}${ratio.toFixed(2).padStart(8)}${limitedColumns}${verdict}`,
			);
		}
	} finally {
		await Promise.all([platform.close(), bare.close()]);
	}
}

/** The best of several rounds, taken in turns, so that a noisy moment strikes neither side alone. */
async function measure(route: Route, platformUrl: string, bareUrl: string) {
	const bareRequest = () => ({ path: `/?calls=${route.d1Calls}` });
	const limitedRequest = () => ({ path: `/?calls=${route.d1Calls}&limit` });
	let ours = 0;
	let theirs = 0;
	let limited = 0;
	for (let round = 0; round < ROUNDS; round += 1) {
		ours = Math.max(ours, await requestsPerSecond(platformUrl, (index) => route.request(index + round * REQUESTS)));
		theirs = Math.max(theirs, await requestsPerSecond(bareUrl, bareRequest));
		limited = Math.max(limited, await requestsPerSecond(bareUrl, limitedRequest));
	}
	return { ours, theirs, limited };
}

async function requestsPerSecond(origin: string, request: (index: number) => ReturnType<Route["request"]>): Promise<number> {
	let next = 0;
	const startedAt = performance.now();
	const work = async () => {
		while (next < REQUESTS) {
			const { path, init } = request(next++);
			const response = await fetch(`${origin}${path}`, { ...init, headers: { ...init?.headers, "CF-Connecting-IP": nextAddress() } });
			await response.arrayBuffer();
			if (!response.ok) throw new Error(`${path} answered ${response.status}`);
		}
	};
	await Promise.all(Array.from({ length: CONCURRENCY }, work));
	return (REQUESTS * 1000) / (performance.now() - startedAt);
}

async function prepareRoutes(origin: string): Promise<Route[]> {
	const call = async (path: string, key: string | null, body?: unknown): Promise<Json> => {
		const headers = {
			"CF-Connecting-IP": nextAddress(),
			"Content-Type": "application/json",
			...(key === null ? {} : { Authorization: `Bearer ${key}` }),
		};
		const response = await fetch(`${origin}${path}`, {
			method: "POST",
			headers,
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const json = (await response.json()) as Json;
		if (!response.ok) throw new Error(`${path}: ${JSON.stringify(json)}`);
		return json;
	};
	const register = async () => String((await call("/api/v1/agent/register-anonymous", null))["api_key"]);
	const [poster, agent] = [await register(), await register()];
	const task = await call("/api/v1/tasks", poster, {
		title: "Benchmark",
		budget_cents: 10_000,
		deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
		criteria: [{ name: "Works", weight: 100 }],
	});
	await call(`/api/v1/tasks/${task["id"]}/publish`, poster);
	const submission = await call(`/api/v1/tasks/${task["id"]}/quick-submit`, agent, { files: { "a.txt": "works" } });
	const authorized = { headers: { Authorization: `Bearer ${agent}` } };
	const get = (path: string) => () => ({ path, init: authorized });
	return [
		{ name: "GET task", d1Calls: 1, request: get(`/api/v1/tasks/${task["id"]}`) },
		{ name: "GET tasks", d1Calls: 1, request: get("/api/v1/tasks") },
		{ name: "GET submission", d1Calls: 1, request: get(`/api/v1/submissions/${submission["id"]}`) },
		{ name: "GET submission status", d1Calls: 1, request: () => ({ path: `/api/submissions/${submission["id"]}/status` }) },
		{ name: "GET leaderboard", d1Calls: 1, request: get(`/api/v1/tasks/${task["id"]}/leaderboard`) },
		{ name: "GET whoami", d1Calls: 1, request: get("/api/v1/agent/whoami") },
	];
}
