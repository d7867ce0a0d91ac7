// The options of `npm run deploy`. Unknown arguments go to `wrangler deploy`.
import { CommandError } from "../support/command.ts";

export interface DeployOptions {
	/** The `[env.…]` of wrangler.toml to deploy. Null for the top level. */
	readonly environment: string | null;
	/** If true, only builds the Worker and measures it. */
	readonly isDryRun: boolean;
	/** If true, migrations may drop or rename what the running version may still use. */
	readonly allowsDestructive: boolean;
	/** A file with secrets that are uploaded with the Worker, as JSON or in lines like NAME=value. */
	readonly secretsFile: string | null;
	/** How much of the smoke test runs at the end: all of it, all except its webhook, or none. */
	readonly smoke: "full" | "without-webhook" | "none";
	/** The arguments for `wrangler deploy`. */
	readonly passed: readonly string[];
}

const DESTRUCTIVE = "--allow-destructive";
const DRY_RUN = "--dry-run";
const WITHOUT_SMOKE = "--without-smoke";
const WITHOUT_WEBHOOK = "--without-webhook";
const FLAGS = [DESTRUCTIVE, DRY_RUN, WITHOUT_SMOKE, WITHOUT_WEBHOOK];

export function readOptions(args: readonly string[]): DeployOptions {
	const passed: string[] = [];
	const named: Record<string, string> = {};
	for (let index = 0; index < args.length; index += 1) {
		const arg = args[index] ?? "";
		const [, name = "", value] = /^--?(env|e|secrets-file)(?:=(.*))?$/.exec(arg) ?? [];
		if (name !== "") named[name[0] ?? ""] = value ?? valueAfter(args, index++);
		else if (!FLAGS.includes(arg)) passed.push(arg);
	}
	return {
		environment: named["e"] || null,
		secretsFile: named["s"] || null,
		isDryRun: args.includes(DRY_RUN),
		allowsDestructive: args.includes(DESTRUCTIVE),
		smoke: args.includes(WITHOUT_SMOKE) ? "none" : args.includes(WITHOUT_WEBHOOK) ? "without-webhook" : "full",
		passed,
	};
}

/** @throws CommandError if a flag is the last argument. Without its environment, the command would deploy the top level. */
function valueAfter(args: readonly string[], index: number): string {
	const value = args[index + 1];
	if (value === undefined) throw new CommandError(`${args[index]} needs a value.`);
	return value;
}

/**
 * Returns the flags that name the environment. At the top level, the name is empty, because wrangler would otherwise warn that there are
 * several environments.
 */
export function environmentArguments(environment: string | null): string[] {
	return ["--env", environment ?? ""];
}
