// Runs two versions of the platform in one local runtime: the Worker of one calls the objects of the other.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createTestHarness } from "wrangler";
import { PROJECT_ROOT } from "../../support/wrangler.ts";
import { CLASSES } from "./checkout.ts";
import { FAULTS_PATH, type FaultCount } from "./faults.ts";

/** Bindings have the names of their classes, such as WEBHOOK_SENDER. */
const bindingOf = (className: string) => className.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
const DATABASES = [
	{ binding: "DB", database_name: "two-versions", database_id: "two-versions", migrations_dir: "migrations" },
	{ binding: "SEARCH", database_name: "two-versions-search", database_id: "two-versions-search", migrations_dir: "migrations-search" },
];
const QUEUES = { EVALUATION_QUEUE: "two-versions-evaluation", CHECK_QUEUE: "two-versions-checks", SWEEP_QUEUE: "two-versions-sweeps" };

export interface TwoVersions {
	readonly url: string;
	/** Sets the chance that a step of the Worker or of an object fails. Returns how many have failed. */
	setChance(chance: number): Promise<number>;
	/** Ends the object of a task, which starts again with the next call. */
	evict(taskId: string): Promise<void>;
	/** Sends the messages of the sweeps, as the cron does every minute. */
	sweep(): Promise<void>;
	stop(): Promise<void>;
}

async function readVariables(): Promise<Readonly<Record<string, string>>> {
	const text = await readFile(join(PROJECT_ROOT, "scripts", "setup", "development.vars"), "utf8");
	const lines = text.split("\n").filter((line) => /^\w+=/.test(line));
	return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** Starts the Worker of one entry with the objects of the other. The databases have the schema of the current version. */
export async function startVersions({ worker, objects }: { readonly worker: string; readonly objects: string }): Promise<TwoVersions> {
	const shared = {
		compatibility_date: "2026-11-01",
		vars: { ...(await readVariables()), JUDGE_CHECK: "false", ALLOW_INSECURE_TARGETS: "true" },
		d1_databases: DATABASES,
		r2_buckets: [{ binding: "BUCKET", bucket_name: "two-versions" }],
		analytics_engine_datasets: [{ binding: "METRICS", dataset: "two_versions" }],
		assets: { directory: join(PROJECT_ROOT, "dist", "site"), binding: "ASSETS", run_worker_first: true },
	};
	const producers = Object.entries(QUEUES).map(([binding, queue]) => ({ binding, queue }));
	const consumers = Object.values(QUEUES).map((queue) => ({ queue, max_batch_size: 1, max_batch_timeout: 0, max_retries: 5 }));
	const bindings = (from: string | null) =>
		CLASSES.map((name) => ({ name: bindingOf(name), class_name: name, ...(from === null ? {} : { script_name: from }) }));
	const harness = createTestHarness({
		root: PROJECT_ROOT,
		workers: [
			{
				config: {
					...{ ...shared, name: "front", main: worker, queues: { producers, consumers } },
					durable_objects: { bindings: bindings("objects") },
				},
			},
			{
				config: {
					...{ ...shared, name: "objects", main: objects, queues: { producers } },
					durable_objects: { bindings: bindings(null) },
					migrations: [{ tag: "all", new_sqlite_classes: [...CLASSES] }],
				},
			},
		],
	});
	const { url } = await harness.listen();
	const front = harness.getWorker("front");
	const home = harness.getWorker("objects");
	for (const { binding } of DATABASES) await front.applyD1Migrations(binding);
	const countIn = async (handle: typeof front, chance: number): Promise<number> => {
		const response = await handle.fetch(`http://two-versions.example${FAULTS_PATH}?chance=${chance}`);
		const { injected }: FaultCount = JSON.parse(await response.text());
		return injected;
	};
	return {
		url: url.origin,
		setChance: async (chance) => (await countIn(front, chance)) + (await countIn(home, chance)),
		evict: (name) => home.evictDurableObject("Task", { name, webSockets: "close" }),
		async sweep() {
			await front.scheduled({ cron: "* * * * *", scheduledTime: new Date() });
		},
		stop: () => harness.close(),
	};
}
