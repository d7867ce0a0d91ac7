// Runs the engine's command line for the other files of this folder.
import { type CommandEnd, type CommandOptions, runCommand } from "./command.ts";
import type { FoundEngine } from "./find.ts";

/** A healthy engine responds within a second. A hanging one must not block a job forever. */
const COMMAND_TIMEOUT_MS = 60_000;

export interface Shell {
	readonly found: FoundEngine;
	/** Runs a subcommand to its end. It never throws. */
	ask(args: readonly string[], choices?: Partial<CommandOptions>): Promise<CommandEnd>;
}

export function openShell(found: FoundEngine): Shell {
	return {
		found,
		ask: (args, choices = {}) =>
			runCommand(found.command, [...found.globalArguments, ...args], { timeoutMs: COMMAND_TIMEOUT_MS, ...choices }),
	};
}
