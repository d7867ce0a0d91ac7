// Runs wrangler without prompts, telemetry or changes to wrangler.toml.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { isCoreOnly } from "../setup/extensions.mjs";
import { SITE_FOLDER } from "../site/fingerprint.mjs";
import { CommandError } from "./command.ts";

export const PROJECT_ROOT = fileURLToPath(new URL("../..", import.meta.url).href);

const WRANGLER = fileURLToPath(new URL("../../node_modules/wrangler/bin/wrangler.js", import.meta.url).href);

/** With CI set, wrangler neither asks questions nor writes the ids of new resources into wrangler.toml, which needs none. */
const QUIET = {
	CI: "true",
	NO_COLOR: "1",
	WRANGLER_HIDE_BANNER: "true",
	WRANGLER_SEND_METRICS: "false",
	WRANGLER_SEND_ERROR_REPORTS: "false",
	WRANGLER_WRITE_LOGS: "false",
};

interface SpawnChoices {
	readonly env?: Readonly<Record<string, string>>;
	/** If true, wrangler leads a separate process group. */
	readonly detached?: boolean;
	/** wrangler's standard input. Empty by default. */
	readonly input?: string | undefined;
}

/** Starts wrangler with its output piped. */
export function spawnWrangler(args: readonly string[], { env = {}, detached = false, input }: SpawnChoices = {}): ChildProcess {
	const child = spawn(process.execPath, [WRANGLER, ...args, ...siteArguments(args)], {
		cwd: PROJECT_ROOT,
		stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
		detached,
		env: { ...process.env, ...QUIET, ...env },
	});
	child.stdin?.on("error", () => undefined).end(input);
	return child;
}

/** Returns the arguments that select the core's files, because wrangler.toml names the files of the whole platform. */
function siteArguments([command = ""]: readonly string[]): string[] {
	return isCoreOnly() && ["dev", "deploy"].includes(command) ? ["--assets", SITE_FOLDER] : [];
}

export interface WranglerResult {
	readonly ok: boolean;
	readonly stdout: string;
	/** Both streams in the order of arrival, as a person would have seen them. */
	readonly output: string;
}

interface Question {
	readonly args: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	readonly input?: string;
}

/** Runs wrangler to its end and returns its output. */
export function askWrangler({ args, env = {}, input }: Question): Promise<WranglerResult> {
	return new Promise((resolve, reject) => {
		const child = spawnWrangler(args, { env, input });
		let stdout = "";
		let output = "";
		child.stdout?.setEncoding("utf8").on("data", (text: string) => {
			stdout += text;
			output += text;
		});
		child.stderr?.setEncoding("utf8").on("data", (text: string) => {
			output += text;
		});
		child.on("error", reject);
		child.on("close", (code) => resolve({ ok: code === 0, stdout, output: stripVTControlCharacters(output).trim() }));
	});
}

/**
 * Runs wrangler to its end and returns its standard output.
 *
 * @throws CommandError with wrangler's own words if it fails.
 */
export async function requireWrangler(...args: string[]): Promise<string> {
	const { ok, stdout, output } = await askWrangler({ args });
	if (!ok) throw new CommandError(`wrangler ${args.join(" ")} failed:\n\n${output}`);
	return stdout;
}
