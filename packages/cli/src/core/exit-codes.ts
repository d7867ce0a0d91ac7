import {
	BountyApiError,
	BountyCheckError,
	BountyConnectionError,
	BountyIncompleteError,
	BountyTimeoutError,
	BountyUsageError,
} from "./sdk.ts";

/** The meaning of each exit code, as in the README and `bounty --help`. */
export const EXIT_CODES = {
	0: "success",
	1: "any other error, such as a file that cannot be written",
	2: "wrong arguments, options or files; nothing was sent",
	3: "no API key, or the key is not accepted or not allowed to do this (401, 403)",
	4: "not found (404)",
	5: "the platform rejected the request (other 4xx)",
	6: "the check found problems; nothing was submitted",
	7: "judging failed",
	8: "the score is below --minimum-score",
	9: "the platform cannot be reached, is too busy, or failed (408, 429, 5xx)",
	10: "you did not confirm the action",
	130: "interrupted by Ctrl-C",
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

/** An error with its exit code. `hints` say what to do next. */
export class CommandError extends Error {
	override readonly name = "CommandError";
	readonly exitCode: ExitCode;
	readonly hints: readonly string[];

	constructor(message: string, { exitCode, hints = [], cause }: { exitCode: ExitCode; hints?: readonly string[]; cause?: unknown }) {
		super(message, { cause });
		this.exitCode = exitCode;
		this.hints = hints;
	}
}

/** Returns an error for wrong arguments, options or files. */
export function usageError(message: string, ...hints: readonly string[]): CommandError {
	return new CommandError(message, { exitCode: 2, hints });
}

/** The reason with which Ctrl-C aborts the signal. */
export class InterruptedError extends Error {
	override readonly name = "Interrupted";
}

/** The reader of standard output, such as `head`, has closed it. This ends the command without a failure. */
export class OutputClosedError extends Error {
	override readonly name = "OutputClosed";
}

/** Returns the exit code that shows a script what kind of failure an error is. */
export function exitCodeOf(error: unknown): ExitCode {
	if (error instanceof InterruptedError) return 130;
	if (error instanceof CommandError) return error.exitCode;
	if (error instanceof BountyUsageError) return 2;
	if (error instanceof BountyCheckError) return 6;
	if (error instanceof BountyConnectionError || error instanceof BountyTimeoutError || error instanceof BountyIncompleteError) return 9;
	return error instanceof BountyApiError ? exitCodeOfStatus(error.status) : 1;
}

/** Returns the exit code for a failed response. */
export function exitCodeOfStatus(status: number): ExitCode {
	if (status === 401 || status === 403) return 3;
	if (status === 404) return 4;
	return status === 408 || status === 429 || status >= 500 ? 9 : 5;
}
