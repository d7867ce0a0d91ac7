// Runs one container from its start to its end: its input and output, its time, and how it ended.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { commandEnvironment, endOf, feed } from "./command.ts";
import { type ContainerEnd, EngineFault, ImageFault, type RunSpec } from "./port.ts";
import type { Shell } from "./shell.ts";
import { createHead, createTail } from "./tail.ts";

/** A test suite has at most 5 MB, so no case can expect more output. */
const MAX_STANDARD_OUTPUT_BYTES = 6 * 1_048_576;
/** The maximum that is shown to people, in bytes of the longest characters. */
const MAX_OUTPUT_BYTES = 16_384;
const KILL_RETRY_MS = 250;
const KILL_TIMEOUT_MS = 10_000;
/** An engine that has not ended a container after this time is treated as broken. */
const KILL_LIMIT_MS = 30_000;

export interface AttachedRun {
	readonly standardOutput: string;
	readonly isOutputCut: boolean;
	/** The tail of both streams together. */
	readonly output: string;
	/** The last standard error output of the engine or the image. */
	readonly errorOutput: string;
	readonly isTimedOut: boolean;
	/** True if the grader killed the container because it was out of time, over a limit, or stopped. */
	readonly isKilled: boolean;
}

/** Starts a created container with its streams connected, and resolves when it has ended or could not be started. */
export async function attach({ found, ask }: Shell, spec: RunSpec, signal: AbortSignal): Promise<AttachedRun> {
	const args = [...found.globalArguments, "start", "--attach", "--interactive", spec.name];
	// Runs the engine in its own process group, so that a Ctrl-C for the grader does not reach the container.
	const child = spawn(found.command, args, { detached: true, cwd: spec.folder, env: commandEnvironment() });
	const streams = collect(child);
	feed(child, spec.input);
	const state = { isTimedOut: false, isKilled: false, hasEnded: false };
	const kill = async () => {
		if (state.isKilled) return;
		state.isKilled = true;
		// The container may still be starting, so one attempt is not enough.
		const giveUpAt = performance.now() + KILL_LIMIT_MS;
		while (!state.hasEnded && performance.now() < giveUpAt) {
			await ask(["kill", "--signal=KILL", spec.name], { timeoutMs: KILL_TIMEOUT_MS });
			await delay(KILL_RETRY_MS, undefined, { ref: false });
		}
		if (!state.hasEnded) child.kill("SIGKILL");
	};
	const timer = setTimeout(() => {
		state.isTimedOut = true;
		void kill();
	}, spec.timeoutMs);
	const stop = AbortSignal.any([signal, spec.kill]);
	stop.addEventListener("abort", kill);
	if (stop.aborted) void kill();
	await endOf(child, streams.errors.write);
	state.hasEnded = true;
	clearTimeout(timer);
	stop.removeEventListener("abort", kill);
	return {
		...state,
		standardOutput: streams.head.read(),
		isOutputCut: streams.head.isCut(),
		output: streams.both.read(),
		errorOutput: streams.errors.read(),
	};
}

function collect(child: ChildProcess) {
	const streams = { head: createHead(MAX_STANDARD_OUTPUT_BYTES), both: createTail(MAX_OUTPUT_BYTES), errors: createTail(MAX_OUTPUT_BYTES) };
	child.stdout?.on("data", (chunk: Buffer) => {
		streams.head.write(chunk);
		streams.both.write(chunk);
	});
	child.stderr?.on("data", (chunk: Buffer) => {
		streams.errors.write(chunk);
		streams.both.write(chunk);
	});
	return streams;
}

const inspected = z.tuple([
	z.object({
		State: z.object({ Status: z.string(), Running: z.boolean(), ExitCode: z.int(), OOMKilled: z.boolean(), Error: z.string().optional() }),
	}),
]);

/** Engines report these errors for an image without a program, or with one that cannot be started. */
const IMAGE_FAULTS =
	/executable file not found|attempted to invoke a command|exec format error|exec: |not a directory|no command (or entrypoint )?(specified|provided)/i;

/**
 * With control groups of version 1, podman's monitor records an out-of-memory kill in the folder where it was started, but podman looks
 * for the record elsewhere.
 */
const MEMORY_NOTE = "oom";

/**
 * Returns how a started container ended.
 *
 * @throws ImageFault if its image cannot be started, EngineFault if the engine could not start it, or has not ended it.
 */
export function concludeContainer(json: string, attached: AttachedRun, { folder }: Pick<RunSpec, "folder">): ContainerEnd {
	const [{ State }] = inspected.parse(JSON.parse(json));
	if (State.Running) throw new EngineFault("The container could not be stopped.");
	if (State.Status === "created" && !attached.isKilled) throw startFault(`${attached.errorOutput}\n${State.Error ?? ""}`.trim());
	const exitCode = attached.isKilled ? null : State.ExitCode;
	return {
		exitCode,
		isTimedOut: attached.isTimedOut,
		isOutOfMemory: State.OOMKilled || existsSync(join(folder, MEMORY_NOTE)),
		output: attached.output,
		standardOutput: attached.standardOutput,
		isOutputCut: attached.isOutputCut,
	};
}

/** Returns the reason why a container could not be created or started. Nothing of the submission has run then. */
export function startFault(explanation: string): ImageFault | EngineFault {
	if (!IMAGE_FAULTS.test(explanation)) return new EngineFault("The container engine could not start the image.", { cause: explanation });
	return new ImageFault("The image cannot be started.", explanation);
}
