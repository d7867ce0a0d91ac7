// Runs an image once, with its folders, environment, limits and results.
import { mkdtemp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { GradingRequest, GradingResult } from "../src/ports/grading.ts";
import type { ContainerEnd, Engine, Mount, PulledImage, RunSpec } from "./engine/port.ts";
import { concludeRun } from "./outcome.ts";
import { makeResultFolders, type ResultLimit } from "./result-folders.ts";
import { readScore } from "./results.ts";

const RESULT_TARGETS = ["/results", "/autograder/results", "/app/output", "/logs/verifier", "/output"];

export interface GraderOptions {
	readonly engine: Engine;
	/** The folder in which each job gets its own folder, which is removed when the job ends. */
	readonly workFolder: string;
	readonly resultLimit: ResultLimit;
	readonly now: () => number;
	/** Returns a random name for a run, which the image gets as the evaluation's id. */
	readonly newEvaluationId: () => string;
	readonly logFault: (error: unknown) => void;
}

export interface Run {
	readonly request: GradingRequest;
	/** The job's folder. */
	readonly folder: string;
	readonly image: PulledImage;
	/** Counted within the job, from 0. Containers never get it, because it would distinguish a second attempt from the first. */
	readonly index: number;
	readonly mounts: readonly Mount[];
	readonly input: string;
	readonly timeoutMs: number;
}

export interface RunResult {
	readonly result: GradingResult;
	readonly end: ContainerEnd;
}

/**
 * Runs the image once. Each run gets separate folders for its results, so that no case sees the results of another.
 *
 * @throws EngineFault, ImageFault
 */
export async function runOnce(run: Run, options: GraderOptions, signal: AbortSignal): Promise<RunResult> {
	const { request, folder, image } = run;
	const runFolder = await mkdtemp(join(folder, "run-"));
	const results = await makeResultFolders(runFolder, RESULT_TARGETS, options.resultLimit);
	try {
		const spec: RunSpec = {
			name: `grading-${request.id}-${basename(folder).slice(-6)}-${run.index}`,
			imageId: image.id,
			folder: runFolder,
			readOnly: run.mounts,
			writable: results.mounts,
			environment: environmentOf(request, options.newEvaluationId()),
			input: run.input,
			memoryMb: request.memory_mb,
			timeoutMs: run.timeoutMs,
			hasNetwork: request.network,
			kill: results.overflow,
		};
		const end = await options.engine.run(spec, signal);
		const facts = { ...end, imageDigest: image.digest, isDiskFull: await results.isFull() };
		return { result: await concludeRun(facts, request, () => readScore(results.mounts, request.task)), end };
	} finally {
		await results.release();
		await discard(runFolder, options);
	}
}

function environmentOf({ timeout_s, memory_mb }: GradingRequest, evaluationId: string): Readonly<Record<string, string>> {
	return {
		SUBMISSION_DIR: "/submission",
		RESULTS_DIR: "/results",
		SCORE_FILE: "/results/score.json",
		TASK_FILE: "/task/task.json",
		EVAL_ID: evaluationId,
		TIME_LIMIT_S: String(timeout_s),
		MEMORY_LIMIT_MB: String(memory_mb),
	};
}

/** Removes a folder. A failure must not lose the result, so it is only logged. */
export async function discard(folder: string, { engine, logFault }: Pick<GraderOptions, "engine" | "logFault">): Promise<void> {
	try {
		await rm(folder, { recursive: true, force: true });
	} catch {
		await engine.removeFolder(folder).catch(logFault);
	}
}
