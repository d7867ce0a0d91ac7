// Runs patterns from posters in a separate thread, so that neither a pattern nor an output delays other jobs.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import * as z from "zod";

const TIME_LIMIT_MS = 5_000;
const MEMORY_LIMIT_MB = 256;
/** The grader's own image contains JavaScript, and a checkout contains TypeScript. */
const SCRIPT = join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? "pattern-worker.ts" : "pattern-worker.mjs");

/** Returns true if a pattern matches a text, and null if that takes too long. The pattern must have been checked before. */
export async function findsPattern(pattern: string, text: string): Promise<boolean | null> {
	return z
		.boolean()
		.nullable()
		.parse(await ask({ kind: "match", pattern, text }));
}

/** Returns for each pattern the reason why it cannot be used, or null if it can. Returns null instead of a list if that takes too long. */
export async function findPatternFaults(patterns: readonly string[]): Promise<readonly (string | null)[] | null> {
	return z
		.array(z.string().nullable())
		.nullable()
		.parse(await ask({ kind: "check", patterns }));
}

/** Returns the thread's reply, or null if it exceeds its limits. */
async function ask(message: unknown): Promise<unknown> {
	const worker = new Worker(SCRIPT, { env: {}, resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB } });
	const { promise, resolve, reject } = Promise.withResolvers<unknown>();
	const timer = setTimeout(() => resolve(null), TIME_LIMIT_MS);
	worker.once("message", resolve);
	worker.once("error", (error) => ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY" ? resolve(null) : reject(error)));
	worker.postMessage(message);
	try {
		return await promise;
	} finally {
		clearTimeout(timer);
		await worker.terminate();
	}
}
