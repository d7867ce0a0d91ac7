#!/usr/bin/env node
// The entry point, which connects the commands with this process.
import { InterruptedError, OutputClosedError } from "./core/exit-codes.ts";
import { useProxies } from "./core/proxy.ts";
import { VERSION } from "./core/sdk.ts";
import { runCommandLine } from "./program.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => {
		// A second Ctrl-C does not wait for the clean-up.
		if (stop.signal.aborted) process.exit(130);
		stop.abort(new InterruptedError("Interrupted."));
	});
}

/** How long commands may clean up once no one reads their output any more. */
const CLEAN_UP_MS = 10_000;
let code: number | undefined;

/** Ignores failed writes to standard error: the exit code shows how the command went, even if no one reads its messages. */
process.stderr.on("error", () => {});

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code !== "EPIPE") {
		const message = `Standard output cannot be written: ${error.message}`;
		const isJson = process.argv.includes("--json");
		const text = isJson ? JSON.stringify({ error: { message, exit_code: 1 } }) : `error: ${message}`;
		process.stderr.write(`${text}\n`, () => process.exit(code || 1));
		return;
	}
	// `bounty tasks | head` closes the pipe early, which is not a failure. A command that has ended keeps its exit code.
	if (code !== undefined) process.exit(code);
	stop.abort(new OutputClosedError("No one reads the output."));
	setTimeout(() => process.exit(0), CLEAN_UP_MS).unref();
});

try {
	useProxies(process.env);
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
	process.exit(2);
}

code = await runCommandLine(
	{
		streams: { input: process.stdin, output: process.stdout, error: process.stderr },
		env: process.env,
		signal: stop.signal,
		version: VERSION,
	},
	process.argv.slice(2),
);
process.exitCode = code;
// A prompt or a stream may still keep the process alive.
// But output to a pipe must be written first, and a failed write is reported in the next tick.
setImmediate(() => process.stdout.write("", () => process.stderr.write("", () => process.exit(code))));
