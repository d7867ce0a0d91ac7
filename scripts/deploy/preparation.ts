// Checks and preparations before the Worker is uploaded.
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { z } from "zod";
import { type Config, parseConfig } from "../../src/config/env.ts";
import { listSettings } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";
import { CommandError } from "../support/command.ts";
import { BINDINGS, type Binding } from "../support/databases.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";
import type { Account } from "./cloudflare.ts";
import type { Secrets } from "./secrets.ts";

/** Stands for a secret whose setting has no example, because a secret's value cannot be read back. Most settings accept a URL. */
const PLACEHOLDER = "https://secret.invalid";
const ZOD_ABSENT = "Invalid input: expected string, received undefined";

export interface Deployment {
	/** The Worker's name. */
	readonly worker: string;
	readonly databases: readonly { readonly binding: Binding; readonly name: string }[];
	/** The queues whose messages the Worker consumes, including dead letters. */
	readonly queues: readonly string[];
	readonly bucket: string;
	/** True if the Worker writes data points. */
	readonly hasDatasets: boolean;
	/** Where databases, objects and the bucket are. Null for a deployment without a jurisdiction. */
	readonly jurisdiction: string | null;
	readonly vars: Readonly<Record<string, unknown>>;
}

const wranglerConfig = z.object({
	name: z.string(),
	d1_databases: z.array(z.object({ binding: z.string(), database_name: z.string() })),
	queues: z.object({ consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() })).default([]) }),
	r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string() })),
	analytics_engine_datasets: z.array(z.unknown()).default([]),
	vars: z.record(z.string(), z.unknown()),
});

/**
 * Reads an environment of wrangler.toml, or its top level.
 *
 * @throws CommandError if there is no such environment.
 */
export function readDeployment(environment: string | null): Deployment {
	const read = readConfiguration(environment);
	const { name: worker, d1_databases, queues, r2_buckets, analytics_engine_datasets, vars } = wranglerConfig.parse(read);
	const databases = BINDINGS.map((binding) => {
		const name = d1_databases.find((database) => database.binding === binding)?.database_name;
		if (name === undefined) throw new CommandError(`wrangler.toml names no database for the binding ${binding}.`);
		return { binding, name };
	});
	const consumed = queues.consumers.flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue ?? queue]);
	const bucket = r2_buckets.find(({ binding }) => binding === "BUCKET");
	if (bucket === undefined) throw new CommandError("wrangler.toml names no bucket for the binding BUCKET.");
	const jurisdiction = z
		.string()
		.nullable()
		.parse(vars["JURISDICTION"] || null);
	const hasDatasets = analytics_engine_datasets.length > 0;
	return { worker, databases, queues: [...new Set(consumed)], bucket: bucket.bucket_name, hasDatasets, jurisdiction, vars };
}

function readConfiguration(environment: string | null): unknown {
	try {
		return unstable_readConfig({ config: join(PROJECT_ROOT, "wrangler.toml"), env: environment ?? "" }, { hideWarnings: true });
	} catch (error) {
		throw new CommandError(error instanceof Error ? error.message : String(error));
	}
}

/**
 * Reads the configuration as the Worker will, and rejects it if the Worker would reject its first request.
 * Warns if the Worker would run without judging.
 *
 * @throws CommandError that names every variable which is missing or wrong.
 */
export function assertDeployable({ vars }: Deployment, { environment, secrets }: { environment: string | null; secrets: Secrets }): void {
	const values = { ...exampleSecrets([...secrets.names]), ...secrets.values };
	try {
		if (secrets.names.has("JURISDICTION"))
			throw new Error("JURISDICTION must be a variable and not a secret, because this command places the data.");
		const { judge, grader, spend } = parseConfig({ ...vars, ...values });
		assertAffordable({ judge, spend }, vars);
		if (judge === null)
			console.warn("No judge is configured: tasks that need one are rejected. See “Judge” in docs/pages/operating/configuration.mdx.");
		if (grader === null)
			console.warn(
				"No grader is configured: submissions to tasks that run an image fail. See “Grader” in docs/pages/operating/configuration.mdx.",
			);
	} catch (error) {
		const flag = environment === null ? "" : ` --env ${environment}`;
		throw new CommandError(
			`${(error instanceof Error ? error.message : String(error)).replaceAll(ZOD_ABSENT, "is not set")}

Set variables under [${environment === null ? "" : `env.${environment}.`}vars] in wrangler.toml. Put secrets into a file, one NAME=value in each line, and deploy with it, or deploy from a terminal, which asks for them. PUBLIC_URL can be either:

  printf 'PUBLIC_URL=https://bounties.example.com\\nSECRETS_KEY=%s\\n' "$(openssl rand -base64 32)" > secrets.env
  npm run deploy --${flag} --secrets-file secrets.env`,
		);
	}
}

/**
 * Rejects a judge whose cost is not limited, because any agent can submit, unless the operator accepts that.
 *
 * @throws Error that names what is missing.
 */
function assertAffordable({ judge, spend }: Pick<Config, "judge" | "spend">, vars: Deployment["vars"]): void {
	if (judge?.kind !== "openai" || String(vars["JUDGE_UNLIMITED"] ?? process.env["JUDGE_UNLIMITED"]) === "true") return;
	const models = [judge.screeningModel ?? null, ...judge.models, judge.confirmModel].filter((model) => model !== null);
	const unpriced = [...new Set(models)].filter((model) => !judge.prices.has(model));
	const faults = [
		...(unpriced.length === 0 ? [] : [`JUDGE_PRICES has no price for ${unpriced.join(", ")}`]),
		...(spend.ceilings.deployment_day_micro_usd === null ? ["JUDGE_MAX_USD_PER_DAY is not set"] : []),
	];
	if (faults.length === 0) return;
	throw new Error(`${faults.join(", and ")}, so nothing limits what judging costs. JUDGE_UNLIMITED=true deploys without a limit.`);
}

/** Returns valid values in place of these secrets, whose real values cannot be read back. */
export function exampleSecrets(names: readonly string[]): Record<string, string> {
	const examples = new Map(listSettings(settings).map(({ variable, example }) => [variable, example]));
	return Object.fromEntries(names.map((name) => [name, examples.get(name) ?? PLACEHOLDER]));
}

const databaseView = z.object({
	uuid: z.string(),
	jurisdiction: z.string().nullish(),
	read_replication: z.object({ mode: z.string() }).optional(),
});

export interface Database {
	readonly binding: Binding;
	readonly name: string;
	readonly uuid: string;
	readonly isReplicated: boolean;
}

/**
 * Creates the databases, because their schema must exist before the Worker that needs it. Also creates the queues for dead letters, which
 * wrangler does not create. Returns all databases.
 */
export async function createMissingResources(deployment: Deployment, account: Account): Promise<Database[]> {
	const { databases, queues } = deployment;
	await assertPlaced(deployment, account);
	const opened = [];
	for (const database of databases) opened.push(asDatabase(database, await openDatabase(database.name, deployment, account)));
	await Promise.all(queues.map((queue) => createMissingQueue(queue, account)));
	return opened;
}

/** Returns the databases that exist already. */
export async function findDatabases({ databases }: Pick<Deployment, "databases">, account: Account): Promise<Database[]> {
	const found = await Promise.all(databases.map(({ name }) => findDatabase(name, account)));
	return databases.flatMap((database, index) => {
		const view = found[index];
		return view ? [asDatabase(database, view)] : [];
	});
}

function asDatabase(named: Pick<Database, "binding" | "name">, { uuid, read_replication }: z.output<typeof databaseView>): Database {
	return { ...named, uuid, isReplicated: read_replication?.mode === "auto" };
}

const findDatabase = (name: string, account: Account) => account.ask({ method: "GET", path: `/d1/database/${name}` }, databaseView);

async function openDatabase(
	name: string,
	{ jurisdiction }: Pick<Deployment, "jurisdiction">,
	account: Account,
): Promise<z.output<typeof databaseView>> {
	const existing = await findDatabase(name, account);
	if (existing !== null) return existing;
	console.log(`Creating the database ${name}.`);
	const body = jurisdiction === null ? { name } : { name, jurisdiction };
	return databaseView.parse(await account.ask({ method: "POST", path: "/d1/database", body }, databaseView));
}

/** R2 lists the buckets of each jurisdiction separately, so one name can exist in several. */
const BUCKET_PLACES = ["default", "eu", "us", "fedramp"];

/**
 * Looks up where existing databases and buckets are, before anything is created.
 *
 * @throws CommandError if one is in another jurisdiction, because it cannot be moved.
 */
async function assertPlaced({ databases, bucket, jurisdiction }: Deployment, account: Account): Promise<void> {
	const misplaced: string[] = [];
	for (const { name } of databases) {
		const existing = await findDatabase(name, account);
		if (existing !== null && (existing.jurisdiction ?? null) !== jurisdiction) {
			misplaced.push(`The database ${name} is in ${describePlace(existing.jurisdiction ?? null)}.`);
		}
	}
	for (const place of BUCKET_PLACES.filter((each) => each !== (jurisdiction ?? "default"))) {
		const headers = { "cf-r2-jurisdiction": place };
		// An account that may not use a jurisdiction has no bucket there.
		const existing = await account.ask({ method: "GET", path: `/r2/buckets/${bucket}`, headers }, z.unknown()).catch(() => null);
		if (existing !== null) misplaced.push(`A bucket ${bucket} is in ${describePlace(place === "default" ? null : place)}.`);
	}
	if (misplaced.length === 0) return;
	throw new CommandError(
		`Nothing was changed. JURISDICTION asks for ${describePlace(jurisdiction)}, and data cannot be moved:

  ${misplaced.join("\n  ")}

Set JURISDICTION to where the data is, or give the resources of this deployment other names in wrangler.toml.`,
	);
}

function describePlace(jurisdiction: string | null): string {
	return jurisdiction === null ? "no jurisdiction" : `the jurisdiction ${jurisdiction}`;
}

/**
 * Switches on the read replicas of the databases, for which wrangler has no command. A failure causes only a warning, because reads also
 * work without replicas.
 */
export async function replicateReads(databases: readonly Database[], account: Account): Promise<void> {
	for (const { uuid, name, isReplicated } of databases) {
		if (isReplicated) continue;
		try {
			await account.ask({ method: "PUT", path: `/d1/database/${uuid}`, body: { read_replication: { mode: "auto" } } }, z.unknown());
			console.log(`The database ${name} now has read replicas.`);
		} catch (error) {
			console.warn(`Read replication of ${name} could not be switched on. The next deployment tries again.`, String(error));
		}
	}
}

const queueList = z.array(z.object({ queue_name: z.string() }));

async function createMissingQueue(queue: string, account: Account): Promise<void> {
	const queues = await account.ask({ method: "GET", path: `/queues?name=${queue}` }, queueList);
	if (queues?.some(({ queue_name }) => queue_name === queue)) return;
	console.log(`Creating the queue ${queue}.`);
	await account.ask({ method: "POST", path: "/queues", body: { queue_name: queue } }, z.unknown());
}
