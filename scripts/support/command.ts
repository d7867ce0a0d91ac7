// The common parts of the project's commands.

import { BountyApiError, BountyError } from "../../packages/sdk/src/core/errors.ts";

/** A fault whose message explains it in full, so it is shown without a stack. */
export class CommandError extends Error {
	override readonly name = "CommandError";
}

/** Runs a command's main function. A fault ends the process with a message and exit code 1. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
	try {
		await main();
	} catch (error) {
		console.error(describe(error));
		process.exitCode = 1;
	}
}

function describe(error: unknown): unknown {
	if (error instanceof BountyApiError) return `\n${error.message} (${error.method} ${error.url}: ${error.status} ${error.code})`;
	return error instanceof CommandError || error instanceof BountyError || isArgumentFault(error) ? `\n${error.message}` : error;
}

/** Returns true for a fault of `parseArgs`, whose message explains unknown options well enough. */
export function isArgumentFault(error: unknown): error is Error {
	return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
