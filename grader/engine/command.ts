// Runs the engine's command line. Arguments never pass through a shell, output is limited while it is read, and no call waits forever.
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { createTail } from "./tail.ts";

const MAX_RESPONSE_BYTES = 16 * 1_048_576;
const MAX_FAULT_CHARACTERS = 4_096;
/** How long a command may take to end after its standard output was closed or it was signalled, in milliseconds. */
const END_GRACE_MS = 10_000;

export interface CommandEnd {
	/** Null if a signal ended it, or it could not be started. */
	readonly exitCode: number | null;
	readonly stdout: string;
	/** The end of standard error. */
	readonly stderr: string;
	readonly isTimedOut: boolean;
}

export interface CommandOptions {
	readonly timeoutMs: number;
	/** Ends the command early. */
	readonly signal?: AbortSignal;
	/** The command's standard input. */
	readonly input?: string;
	/** The folder in which the command runs. Default: the process's own. */
	readonly folder?: string;
}

/** Returns the environment of every command that the grader starts: its own, without its secret. */
export function commandEnvironment(): NodeJS.ProcessEnv {
	const { GRADER_TOKEN: _secret, ...environment } = process.env;
	return environment;
}

/** Runs a command until it ends. It never throws: a missing command ends with exit code null and a message on `stderr`. */
export async function runCommand(
	command: string,
	args: readonly string[],
	{ timeoutMs, signal, input = "", folder }: CommandOptions,
): Promise<CommandEnd> {
	const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], cwd: folder, env: commandEnvironment() });
	feed(child, input);
	const stdout: Buffer[] = [];
	let size = 0;
	const stderr = createTail(MAX_FAULT_CHARACTERS);
	child.stdout.on("data", (chunk: Buffer) => {
		size += chunk.length;
		if (size <= MAX_RESPONSE_BYTES) stdout.push(chunk);
	});
	child.stderr.on("data", stderr.write);
	let isTimedOut = false;
	const timer = setTimeout(() => {
		isTimedOut = true;
		child.kill("SIGKILL");
	}, timeoutMs);
	const stop = () => child.kill("SIGKILL");
	signal?.addEventListener("abort", stop);
	if (signal?.aborted) stop();
	const exitCode = await endOf(child, stderr.write);
	clearTimeout(timer);
	signal?.removeEventListener("abort", stop);
	return { exitCode, stdout: Buffer.concat(stdout).toString("utf8"), stderr: stderr.read(), isTimedOut };
}

/** Writes a command's standard input and closes it. Ignores errors, because a command may end without reading its input. */
export function feed({ stdin }: ChildProcess, input: string): void {
	stdin?.on("error", () => undefined);
	stdin?.end(input);
}

/** Resolves with the exit code when the streams are closed, or 10 s after the exit if a child of the command keeps them open. */
export function endOf(child: ChildProcess, explain: (chunk: Buffer) => void): Promise<number | null> {
	return new Promise((resolve) => {
		child.once("error", (error) => {
			explain(Buffer.from(error.message));
			resolve(null);
		});
		child.once("close", resolve);
		child.once("exit", async (code) => {
			await delay(END_GRACE_MS, undefined, { ref: false });
			resolve(code);
		});
	});
}
