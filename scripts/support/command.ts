// Contains the common parts of the project's commands.

/** The message of this fault explains it in full, so it is shown without a stack. */
export class CommandError extends Error {
	override readonly name = "CommandError";
}

/** Runs a command's main function. A fault ends the process with a message and exit code 1. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
	try {
		await main();
	} catch (error) {
		console.error(error instanceof CommandError || isArgumentFault(error) ? `\n${error.message}` : error);
		process.exitCode = 1;
	}
}

/** Returns true for a fault of `parseArgs`, whose message explains unknown options well enough. */
export function isArgumentFault(error: unknown): error is Error {
	return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
