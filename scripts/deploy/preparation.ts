// What has to be true before the Worker is uploaded.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs, parseEnv } from "node:util";
import { unstable_readConfig } from "wrangler";
import { z } from "zod";
import { CommandError } from "../support/command.ts";
import { askWrangler, PROJECT_ROOT, requireWrangler } from "../support/wrangler.ts";

/** Secrets without which the Worker refuses every request. */
const REQUIRED_SECRETS: Readonly<Record<string, string>> = {
	SECRETS_KEY: "openssl rand -base64 32 | npm run -s wrangler -- secret put SECRETS_KEY",
};
/** Variables that belong to development; the Worker refuses to run in production with them. */
const REFUSED_VARIABLES: Readonly<Record<string, string>> = { JUDGE: "offline", ALLOW_INSECURE_TARGETS: "true" };

export interface Deployment {
	readonly database: string;
	/** Every queue of which messages are consumed, dead letters included. */
	readonly queues: readonly string[];
	readonly vars: Readonly<Record<string, unknown>>;
}

const wranglerConfig = z.object({
	d1_databases: z.array(z.object({ binding: z.string(), database_name: z.string() })),
	queues: z.object({ consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() })).default([]) }),
	vars: z.record(z.string(), z.unknown()),
});

/** What wrangler.toml says. */
export function readDeployment(): Deployment {
	const { d1_databases, queues, vars } = wranglerConfig.parse(unstable_readConfig({ config: join(PROJECT_ROOT, "wrangler.toml") }));
	const database = d1_databases.find(({ binding }) => binding === "DB")?.database_name;
	if (database === undefined) throw new CommandError("wrangler.toml names no database for the binding DB.");
	const consumed = queues.consumers.flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue ?? queue]);
	return { database, queues: [...new Set(consumed)], vars };
}

/** @throws CommandError that says how to log in. */
export async function assertLoggedIn(): Promise<void> {
	const { ok, output } = await askWrangler({ args: ["whoami"] });
	if (ok && !output.includes("not authenticated")) return;
	throw new CommandError(
		"You are not logged in to Cloudflare. Run `npm run -s wrangler -- login`, or set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID, if you have several accounts).",
	);
}

/** Names of the secrets that the Worker has or will have: those set already and those of a `--secrets-file`. */
export async function listSecrets(args: readonly string[]): Promise<Set<string>> {
	const { ok, stdout, output } = await askWrangler({ args: ["secret", "list", "--format", "json"] });
	// A Worker that was never deployed has no secrets.
	if (!ok && !output.includes("not found")) throw new CommandError(`The secrets could not be listed:\n\n${output}`);
	const set = ok ? z.array(z.object({ name: z.string() })).parse(JSON.parse(stdout)) : [];
	return new Set([...set.map(({ name }) => name), ...readSecretsFile(args)]);
}

function readSecretsFile(args: readonly string[]): string[] {
	const { values } = parseArgs({ args: [...args], strict: false, options: { "secrets-file": { type: "string" } } });
	const file = values["secrets-file"];
	if (typeof file !== "string") return [];
	const text = readFileSync(file, "utf8");
	return Object.keys(text.trimStart().startsWith("{") ? z.record(z.string(), z.unknown()).parse(JSON.parse(text)) : parseEnv(text));
}

/**
 * Refuses what the Worker itself would refuse on its first request, and warns where it would work but not judge.
 *
 * @throws CommandError
 */
export function assertDeployable({ vars }: Deployment, secrets: ReadonlySet<string>): void {
	for (const [name, value] of Object.entries(REFUSED_VARIABLES)) {
		if (vars[name] === value) throw new CommandError(`${name}=${value} is for development only. Remove it from [vars] in wrangler.toml.`);
	}
	const missing = Object.entries(REQUIRED_SECRETS).filter(([name]) => !secrets.has(name));
	if (missing.length > 0) {
		const commands = missing.map(([name, command]) => `  ${name}:  ${command}`);
		throw new CommandError(`These secrets are not set. Set each with its command, then deploy again:\n\n${commands.join("\n")}`);
	}
	if (vars["JUDGE"] === undefined && !secrets.has("JUDGE")) {
		console.warn("No judge is configured: tasks that need one are refused. See “The judge” in docs/deploying.md.");
	}
}

/**
 * Creates the database, because its schema must stand before the Worker that needs it, and the queues that wrangler
 * does not provision by itself, which are those of dead letters.
 */
export async function createMissingResources({ database, queues }: Deployment): Promise<void> {
	const databases = z.array(z.object({ name: z.string() })).parse(JSON.parse(await requireWrangler("d1", "list", "--json")));
	if (!databases.some(({ name }) => name === database)) {
		console.log(`Creating the database ${database}.`);
		await requireWrangler("d1", "create", database);
	}
	for (const queue of queues) {
		const { ok, output } = await askWrangler({ args: ["queues", "info", queue] });
		if (ok) continue;
		if (!output.includes("does not exist")) throw new CommandError(`The queue ${queue} could not be read:\n\n${output}`);
		console.log(`Creating the queue ${queue}.`);
		await requireWrangler("queues", "create", queue);
	}
}
