// Runs the whole platform under Node, for tests over real sockets.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { createTestHarness, type TestHarness, type TestHarnessOptions } from "wrangler";
import { z } from "zod";
import { buildWorkerOnce } from "./built-worker.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);

export interface RunningServer {
	readonly url: string;
	/** Runs the sweeps that the platform runs every minute. */
	sweep(): Promise<void>;
	/** Evicts an object from memory. Its storage and its sleeping sockets stay. */
	evict(binding: "BOUNTIES" | "TOPIC_RELAY", name: string): Promise<void>;
	/** Returns true if a client follows the stream of bounties. */
	hasBountyRelays(): Promise<boolean>;
	/** Runs SQL in the database. */
	query(sql: string, ...parameters: readonly unknown[]): Promise<Record<string, unknown>[]>;
	/** Runs SQL in the object of a task. */
	queryTask(taskId: string, sql: string, ...parameters: readonly unknown[]): Promise<Record<string, unknown>[]>;
	/** Reads the cost of a request from its log line. */
	costOf(response: Response): Promise<RequestCost>;
	/** Returns the cost of all requests whose log lines have been written since the last call. */
	takeCosts(): readonly RequestCost[];
	close(): Promise<void>;
}

const requestCost = z.object({
	request_id: z.string(),
	method: z.string(),
	status: z.number(),
	d1_calls: z.number(),
	d1_rows_read: z.number(),
	d1_rows_written: z.number(),
	object_calls: z.number(),
});

/** The fields of a request's log line. */
export type RequestCost = z.infer<typeof requestCost>;

const LOG_TIMEOUT_MS = 60_000;
const LOG_POLL_MS = 20;

interface ServerEnv {
	readonly DB: D1Database;
	readonly SEARCH: D1Database;
	readonly BOUNTIES: DurableObjectNamespace;
	readonly TASK: DurableObjectNamespace;
	readonly TOPIC_RELAY: DurableObjectNamespace;
}

/** Starts the Worker with an empty database, on a free port. `vars` are added to its configuration. */
export async function startServer({ vars = {} }: { vars?: Record<string, string> } = {}): Promise<RunningServer> {
	const folder = await buildWorkerOnce();
	const isBuilt = { base_dir: folder, no_bundle: true, find_additional_modules: true, build: {} };
	const rules = [{ type: "ESModule" as const, globs: ["**/*.mjs"] }];
	return serve({ config: { ...readConfiguration(), ...isBuilt, rules, main: join(folder, "index.js") }, vars });
}

/** Does what {@link startServer} does with another entry: a path from the project's root to a file with the platform's exports. */
export function startServerWith(main: string): Promise<RunningServer> {
	return serve({ config: { ...readConfiguration(), main } });
}

const readConfiguration = () => parse(readFileSync(join(ROOT, "wrangler.toml"), "utf8"));

async function serve(input: TestHarnessOptions["workers"][number]): Promise<RunningServer> {
	const harness = createTestHarness({ root: ROOT, workers: [input] });
	const { url } = await harness.listen();
	const worker = harness.getWorker<ServerEnv>();
	for (const binding of ["DB", "SEARCH"] as const) await worker.applyD1Migrations(binding);
	const { DB } = await worker.getEnv();
	return {
		url: url.origin,
		async sweep() {
			await worker.scheduled({ cron: "* * * * *" });
		},
		async evict(binding, name) {
			await worker.evictDurableObject(binding, { name, webSockets: "hibernate" });
		},
		async hasBountyRelays() {
			const storage = await worker.getDurableObjectStorage("BOUNTIES", { name: "bounties" });
			return (await storage.exec("select name from relays")).length > 0;
		},
		async query(sql, ...parameters) {
			const { results } = await DB.prepare(sql)
				.bind(...parameters)
				.all();
			return results;
		},
		async queryTask(taskId, sql, ...parameters) {
			const storage = await worker.getDurableObjectStorage("TASK", { name: taskId });
			return storage.exec(sql, ...parameters);
		},
		costOf: (response) => waitForCost(harness, response.headers.get("X-Request-Id") ?? ""),
		takeCosts() {
			const costs = readCosts(harness);
			harness.clearLogs();
			return costs;
		},
		close: () => harness.close(),
	};
}

function readCosts(harness: TestHarness): RequestCost[] {
	const lines = harness.getLogs().filter(({ message }) => message.includes('"event":"request"'));
	return lines.map(({ message }) => requestCost.parse(JSON.parse(message.slice(message.indexOf("{")))));
}

async function waitForCost(harness: TestHarness, requestId: string): Promise<RequestCost> {
	for (const giveUpAt = performance.now() + LOG_TIMEOUT_MS; performance.now() < giveUpAt; await delay(LOG_POLL_MS)) {
		const line = harness.getLogs().find(({ message }) => message.includes('"event":"request"') && message.includes(requestId));
		if (line !== undefined) return requestCost.parse(JSON.parse(line.message.slice(line.message.indexOf("{"))));
	}
	throw new Error(`Request ${requestId} has no log line.`);
}
