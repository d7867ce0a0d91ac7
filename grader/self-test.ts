// Tests whether the grader can pull and run an image, with every limit and without a submission.
import { mkdtemp } from "node:fs/promises";
import { basename, join } from "node:path";
import type { GraderTest } from "../src/ports/grading.ts";
import { EngineFault, ImageFault } from "./engine/port.ts";
import { discard, type GraderOptions } from "./run.ts";

/** Together with pulling, the time must fit into the 100 seconds that the platform waits. */
const LIMIT_MS = 80_000;
const MEMORY_MB = 512;
const OUTPUT_CHARACTERS = 300;

type Workshop = Pick<GraderOptions, "engine" | "workFolder" | "logFault">;

/** Pulls an image and runs it once, without network. It never throws. */
export async function testEngine(image: string, workshop: Workshop): Promise<GraderTest> {
	const { engine, workFolder, logFault } = workshop;
	const folder = await mkdtemp(join(workFolder, "self-test-"));
	const signal = AbortSignal.timeout(LIMIT_MS);
	let pulledId: string | null = null;
	try {
		const { id } = await engine.pull({ reference: image, digest: null }, signal);
		pulledId = id;
		const { exitCode, output } = await engine.run(
			{
				name: `grading-${basename(folder)}`,
				imageId: id,
				folder,
				readOnly: [],
				writable: [],
				environment: {},
				input: "",
				memoryMb: MEMORY_MB,
				timeoutMs: LIMIT_MS,
				hasNetwork: false,
				kill: new AbortController().signal,
			},
			signal,
		);
		if (exitCode === 0) return { state: "ok", message: `${image} has run with ${engine.name} and ${engine.runtime}.` };
		return { state: "failed", message: `${image} ended with ${exitCode ?? "no exit code"}: ${output.slice(-OUTPUT_CHARACTERS)}` };
	} catch (error) {
		if (error instanceof EngineFault || error instanceof ImageFault) return { state: "failed", message: error.message };
		if (signal.aborted) return { state: "failed", message: `${image} was not pulled and run in ${LIMIT_MS / 1_000} seconds.` };
		logFault(error);
		return { state: "failed", message: "The grader failed. Its log has the reason." };
	} finally {
		if (pulledId !== null) engine.release(pulledId);
		await discard(folder, { engine, logFault });
	}
}
