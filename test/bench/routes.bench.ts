// Measures the throughput of the hot routes against a bare Hono route with as many D1 calls, in the same run: `npm run bench -- routes
// [rounds]`. The budget applies to the second ratio, against a bare route that also checks a rate limit, as each of the platform's does.
// Here the limit is emulated and costs as much as a D1 call; in a deployment it is a counter next to the Worker. The last ratio compares
// the processor time of both runtimes, which a busy machine does not change.
import { fileURLToPath } from "node:url";
import { createTestHarness } from "wrangler";
import { medianOf } from "../support/median.ts";
import { readProcessorMs } from "../support/processes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
const REQUESTS = 300;
const CONCURRENCY = 16;
const DEFAULT_ROUNDS = 5;
/** A route must reach this share of the limited bare one. */
const TARGET_RATIO = 0.9;
/** This is a deployment's default. With a line for every request, this process would spend its time on reading them. */
const LOG_SAMPLE = "10";

interface Route {
	readonly name: string;
	/** The route makes this many sequential D1 calls while the isolate knows the key. */
	readonly d1Calls: number;
	request(): { readonly path: string; readonly init?: RequestInit };
}

interface Json {
	readonly [field: string]: unknown;
}

let addresses = 0;

/** Every request comes from another IP address, because the limits count by IP address. */
function nextAddress(): string {
	addresses += 1;
	return `198.18.${(addresses >> 8) & 255}.${addresses & 255}`;
}

export async function run([wanted]: readonly string[]): Promise<void> {
	const rounds = Number(wanted ?? DEFAULT_ROUNDS);
	const platform = createTestHarness({ root: ROOT, workers: [{ configPath: "./wrangler.toml", vars: { LOG_SAMPLE } }] });
	const bare = createTestHarness({ root: ROOT, workers: [{ configPath: "./test/bench/bare/wrangler.toml" }] });
	try {
		const [platformUrl, bareUrl] = [(await platform.listen()).url.origin, (await bare.listen()).url.origin];
		for (const binding of ["DB", "SEARCH"] as const) await platform.getWorker().applyD1Migrations(binding);
		const routes = await prepareRoutes(platformUrl);
		console.log(
			"route                       D1 calls   requests/s   bare   ratio   limited bare   ratio   processor: ms   limited bare   ratio",
		);
		for (const route of routes) {
			const { ours, bare: unlimited, limited, ratios } = await measure(route, { platformUrl, bareUrl, rounds });
			const columns = [
				ours.perSecond.toFixed(0).padStart(13),
				unlimited.perSecond.toFixed(0).padStart(7),
				ratios.bare.toFixed(2).padStart(8),
			];
			const limitedColumns = [limited.perSecond.toFixed(0).padStart(15), ratios.limited.toFixed(2).padStart(8)];
			const processor = [
				ours.processorMs.toFixed(2).padStart(16),
				limited.processorMs.toFixed(2).padStart(15),
				ratios.processor.toFixed(2).padStart(8),
			];
			const verdict = ratios.limited >= TARGET_RATIO ? "" : `  below ${TARGET_RATIO}`;
			console.log(
				[route.name.padEnd(28), String(route.d1Calls).padStart(8), ...columns, ...limitedColumns, ...processor, verdict].join(""),
			);
		}
	} finally {
		await Promise.all([platform.close(), bare.close()]);
	}
}

interface Sample {
	readonly perSecond: number;
	/** The runtime needs this time for one request, in milliseconds. */
	readonly processorMs: number;
}

interface Sides {
	readonly platformUrl: string;
	readonly bareUrl: string;
	readonly rounds: number;
}

/** Returns medians of several rounds. Each ratio is of two measurements in a row, so that a busy machine slows both. */
async function measure(route: Route, { platformUrl, bareUrl, rounds: wanted }: Sides) {
	const bareRequest = () => ({ path: `/?calls=${route.d1Calls}` });
	const limitedRequest = () => ({ path: `/?calls=${route.d1Calls}&limit` });
	const rounds: { ours: Sample; bare: Sample; limited: Sample }[] = [];
	// The first round warms both sides up.
	for (let round = 0; round <= wanted; round += 1) {
		const bare = await sample(bareUrl, bareRequest);
		const ours = await sample(platformUrl, route.request);
		const limited = await sample(bareUrl, limitedRequest);
		if (round > 0) rounds.push({ ours, bare, limited });
	}
	return {
		ours: medianSample(rounds.map(({ ours }) => ours)),
		bare: medianSample(rounds.map(({ bare }) => bare)),
		limited: medianSample(rounds.map(({ limited }) => limited)),
		ratios: {
			bare: medianOf(rounds.map(({ ours, bare }) => ours.perSecond / bare.perSecond)),
			limited: medianOf(rounds.map(({ ours, limited }) => ours.perSecond / limited.perSecond)),
			processor: medianOf(rounds.map(({ ours, limited }) => limited.processorMs / ours.processorMs)),
		},
	};
}

function medianSample(samples: readonly Sample[]): Sample {
	return {
		perSecond: medianOf(samples.map(({ perSecond }) => perSecond)),
		processorMs: medianOf(samples.map(({ processorMs }) => processorMs)),
	};
}

async function sample(origin: string, request: Route["request"]): Promise<Sample> {
	let sent = 0;
	const startedAt = performance.now();
	const processorBefore = readProcessorMs();
	const work = async () => {
		while (sent < REQUESTS) {
			sent += 1;
			const { path, init } = request();
			const response = await fetch(`${origin}${path}`, { ...init, headers: { ...init?.headers, "CF-Connecting-IP": nextAddress() } });
			await response.arrayBuffer();
			if (!response.ok) throw new Error(`${path} answered ${response.status}`);
		}
	};
	await Promise.all(Array.from({ length: CONCURRENCY }, work));
	const perSecond = (REQUESTS * 1000) / (performance.now() - startedAt);
	return { perSecond, processorMs: (readProcessorMs() - processorBefore) / REQUESTS };
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
	const entry = await fetch(`${origin}/api/v1/workspace/kv/notes`, {
		method: "PUT",
		headers: { Authorization: `Bearer ${agent}`, "CF-Connecting-IP": nextAddress(), "Content-Type": "application/json" },
		body: JSON.stringify({ value: "quotes" }),
	});
	if (!entry.ok) throw new Error(`Storing an entry: ${await entry.text()}`);
	const authorized = { headers: { Authorization: `Bearer ${agent}` } };
	const get = (path: string) => () => ({ path, init: authorized });
	return [
		{ name: "GET task", d1Calls: 1, request: get(`/api/v1/tasks/${task["id"]}`) },
		{ name: "GET tasks", d1Calls: 1, request: get("/api/v1/tasks") },
		{ name: "GET submission", d1Calls: 1, request: get(`/api/v1/submissions/${submission["id"]}`) },
		{ name: "GET submission status", d1Calls: 1, request: () => ({ path: `/api/submissions/${submission["id"]}/status` }) },
		{ name: "GET leaderboard", d1Calls: 1, request: get(`/api/v1/tasks/${task["id"]}/leaderboard`) },
		{ name: "GET workspace entry", d1Calls: 1, request: get("/api/v1/workspace/kv/notes") },
		{ name: "GET whoami", d1Calls: 1, request: get("/api/v1/agent/whoami") },
	];
}
