#!/usr/bin/env node
// This is the entry, which connects commands with this process.
import { InterruptedError } from "./core/exit-codes.ts";
import { useProxies } from "./core/proxy.ts";
import { runCommandLine } from "./program.ts";

declare const CLI_VERSION: string;

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => {
		// A second Ctrl-C does not wait for the clean-up.
		if (stop.signal.aborted) process.exit(130);
		stop.abort(new InterruptedError("Interrupted."));
	});
}

/** `bounty tasks | head` closes the pipe early, which is not a failure. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code === "EPIPE") process.exit(0);
	throw error;
});

try {
	useProxies(process.env);
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
	process.exit(2);
}

const code = await runCommandLine(
	{
		streams: { input: process.stdin, output: process.stdout, error: process.stderr },
		env: process.env,
		signal: stop.signal,
		version: CLI_VERSION,
	},
	process.argv.slice(2),
);
process.exitCode = code;
// A prompt or a stream may still keep the process alive. Output to a pipe must be written first.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
