// The options of `npm run deploy`. Arguments that it does not know go to `wrangler deploy`.

export interface DeployOptions {
	/** The `[env.…]` of wrangler.toml to deploy; null for the top level. */
	readonly environment: string | null;
	/** Only builds the Worker and measures it. */
	readonly isDryRun: boolean;
	/** Lets migrations drop or rename what the running version may still use. */
	readonly allowsDestructive: boolean;
	/** For `wrangler deploy`. */
	readonly passed: readonly string[];
}

const DESTRUCTIVE = "--allow-destructive";
const DRY_RUN = "--dry-run";

export function readOptions(args: readonly string[]): DeployOptions {
	const passed: string[] = [];
	let environment: string | null = null;
	for (let index = 0; index < args.length; index += 1) {
		const arg = args[index] ?? "";
		const named = /^(?:--env|-e)(?:=(.*))?$/.exec(arg);
		if (named !== null) environment = named[1] ?? args[++index] ?? "";
		else if (arg !== DESTRUCTIVE && arg !== DRY_RUN) passed.push(arg);
	}
	return {
		environment: environment || null,
		isDryRun: args.includes(DRY_RUN),
		allowsDestructive: args.includes(DESTRUCTIVE),
		passed,
	};
}

/** The flags that name the environment. Empty for the top level: wrangler then warns of several environments, which is not an error. */
export function environmentArguments(environment: string | null): string[] {
	return ["--env", environment ?? ""];
}
