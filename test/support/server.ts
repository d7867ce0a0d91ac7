// The whole stack under Node, for tests that speak to it over real sockets.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { createTestHarness, type TestHarnessOptions } from "wrangler";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);

export interface RunningServer {
	readonly url: string;
	/** Runs the sweeps of a minute. */
	sweep(): Promise<void>;
	/** Takes an object out of memory; its storage and its sleeping sockets stay. */
	evict(binding: "TOPIC" | "TOPIC_RELAY", name: string): Promise<void>;
	/** Whether a topic has anything stored, which it has while it is watched. */
	hasStorage(topic: string): Promise<boolean>;
	/** Runs SQL in the database. */
	query(sql: string, ...parameters: readonly unknown[]): Promise<Record<string, unknown>[]>;
	close(): Promise<void>;
}

interface ServerEnv {
	readonly DB: D1Database;
	readonly TOPIC: DurableObjectNamespace;
	readonly TOPIC_RELAY: DurableObjectNamespace;
}

/** Starts the Worker with a fresh database, on a port of its own. `vars` are added to its configuration. */
export function startServer({ vars = {} }: { vars?: Record<string, string> } = {}): Promise<RunningServer> {
	return serve({ configPath: "./wrangler.toml", vars });
}

/** {@link startServer} with another entry, a path from the project's root, which exports what the platform's exports. */
export function startServerWith(main: string): Promise<RunningServer> {
	return serve({ config: { ...parse(readFileSync(join(ROOT, "wrangler.toml"), "utf8")), main } });
}

async function serve(input: TestHarnessOptions["workers"][number]): Promise<RunningServer> {
	const harness = createTestHarness({ root: ROOT, workers: [input] });
	const { url } = await harness.listen();
	const worker = harness.getWorker<ServerEnv>();
	await worker.applyD1Migrations("DB");
	const { DB } = await worker.getEnv();
	return {
		url: url.origin,
		async sweep() {
			await worker.scheduled({ cron: "* * * * *" });
		},
		async evict(binding, name) {
			await worker.evictDurableObject(binding, { name, webSockets: "hibernate" });
		},
		async hasStorage(topic) {
			const storage = await worker.getDurableObjectStorage("TOPIC", { name: topic });
			return (await storage.exec("select name from sqlite_master")).length > 0;
		},
		async query(sql, ...parameters) {
			const { results } = await DB.prepare(sql)
				.bind(...parameters)
				.all();
			return results;
		},
		close: () => harness.close(),
	};
}
