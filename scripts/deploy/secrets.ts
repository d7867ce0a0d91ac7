// Collects the secrets of a deployment. New ones are uploaded with the Worker, so that no version of it ever lacks them.
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseEnv } from "node:util";
import { z } from "zod";
import { CommandError } from "../support/command.ts";
import type { Account } from "./cloudflare.ts";
import type { DeployOptions } from "./options.ts";

const KEY_BYTES = 32;

export interface Secrets {
	/** The names of the secrets that the Worker will have. */
	readonly names: ReadonlySet<string>;
	/** The values of the uploaded secrets. The values of others cannot be read back. */
	readonly values: Readonly<Record<string, string>>;
}

/** Asks a question and returns the typed text. */
type Ask = (question: string) => Promise<string>;

/** Collects the secrets that the Worker has, those in a file, and those that a person types because they are missing. */
export async function collectSecrets(
	{ secretsFile }: Pick<DeployOptions, "secretsFile">,
	{ worker, vars }: { readonly worker: string; readonly vars: Readonly<Record<string, unknown>> },
	account: Account,
): Promise<Secrets> {
	const set = await listSecrets(worker, account);
	const given = secretsFile === null ? {} : await readSecretsFile(secretsFile);
	const known = new Set([...set, ...Object.keys(given)]);
	const typed = process.stdin.isTTY ? await withTerminal((ask) => askForMissing(vars, known, ask)) : {};
	return { names: new Set([...known, ...Object.keys(typed)]), values: { ...given, ...typed } };
}

const secretList = z.array(z.object({ name: z.string() }));

/** Returns the names of the secrets that the Worker has. A Worker that was never deployed has none. */
export async function listSecrets(worker: string, account: Account): Promise<string[]> {
	const found = await account.ask({ method: "GET", path: `/workers/scripts/${worker}/secrets` }, secretList);
	return found?.map(({ name }) => name) ?? [];
}

async function readSecretsFile(path: string): Promise<Record<string, string>> {
	const text = await readFile(path, "utf8").catch((error: unknown) => {
		throw new CommandError(`The file of --secrets-file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	});
	const read = text.trimStart().startsWith("{") ? JSON.parse(text) : parseEnv(text);
	const { data } = z.record(z.string(), z.string()).safeParse(read);
	if (data === undefined) throw new CommandError(`${path} must be a JSON object of strings, or have lines like NAME=value.`);
	// In a copy of .dev.vars.example, an empty value means that the setting was not filled in.
	return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== ""));
}

/** Asks for the missing secrets that a deployment with these variables needs, and returns them. */
export async function askForMissing(
	vars: Readonly<Record<string, unknown>>,
	known: ReadonlySet<string>,
	ask: Ask,
): Promise<Record<string, string>> {
	const isMissing = (name: string) => !(name in vars) && !known.has(name);
	const typed: Record<string, string> = {};
	if (isMissing("PUBLIC_URL"))
		typed["PUBLIC_URL"] = await ask("PUBLIC_URL, the origin that clients use, such as https://bounties.example.com: ");
	if (isMissing("SECRETS_KEY")) {
		const own = await ask("SECRETS_KEY, base64 of 32 random bytes (press Enter to generate one): ");
		typed["SECRETS_KEY"] = own || randomBytes(KEY_BYTES).toString("base64");
		if (own === "") console.log(`Keep a copy, because it cannot be read back: SECRETS_KEY=${typed["SECRETS_KEY"]}`);
	}
	if (vars["JUDGE"] === "openai" && isMissing("JUDGE_API_KEY"))
		typed["JUDGE_API_KEY"] = await ask("JUDGE_API_KEY, of your model provider: ");
	if ("GRADER_URL" in vars && isMissing("GRADER_TOKEN")) typed["GRADER_TOKEN"] = await ask("GRADER_TOKEN, of your grader: ");
	return Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ""));
}

async function withTerminal<Result>(use: (ask: Ask) => Promise<Result>): Promise<Result> {
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	try {
		return await use(async (question) => (await terminal.question(question)).trim());
	} finally {
		terminal.close();
	}
}

/**
 * Writes values for `wrangler deploy` into a file that only this user can read, for as long as `use` takes. It is JSON, because wrangler
 * expands `$` in other files.
 */
export async function withSecretsFile<Result>(
	values: Secrets["values"],
	use: (args: readonly string[]) => Promise<Result>,
): Promise<Result> {
	if (Object.keys(values).length === 0) return use([]);
	const folder = await mkdtemp(join(tmpdir(), "bounty-platform-secrets-"));
	try {
		const path = join(folder, "secrets.json");
		await writeFile(path, JSON.stringify(values), { mode: 0o600 });
		return await use(["--secrets-file", path]);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
