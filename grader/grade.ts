// Grading one submission from its artifact to its result. What runs containers stands behind a port.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveFault } from "../src/features/evaluation/artifact/policy.ts";
import type { GradingRequest, GradingResult, TestResult } from "./contract.ts";
import { type GradingWatch, platformError } from "./jobs.ts";
import { concludeRun, type RunEnd } from "./outcome.ts";
import { type Mount, readScore } from "./results.ts";
import { judgeCase, shareOfPassed, type TestCase, testSuite } from "./test-suite.ts";
import { DownloadFault, downloadArtifact, downloadSuite, unpack } from "./unpack.ts";

/** The engine or the image cannot be used now. Its message is for the poster. */
export class EngineFault extends Error {
	override readonly name = "EngineFault";
}

/** What runs containers. Every method ends early when the signal aborts, and leaves no container behind. */
export interface Engine {
	/** Name and version. */
	readonly name: string;
	/**
	 * Makes an image available and resolves it to its digest.
	 *
	 * @throws EngineFault
	 */
	pull(image: string, signal: AbortSignal): Promise<string>;
	/**
	 * Runs a container to its end, confined as the specification says. When this resolves, everything in it is dead.
	 *
	 * @throws EngineFault
	 */
	run(spec: RunSpec, signal: AbortSignal): Promise<RunEnd & { readonly standardOutput: string }>;
}

export interface RunSpec {
	/** Of the container; no two runs share one. */
	readonly name: string;
	readonly image: string;
	readonly digest: string;
	/** Mounted read-only. */
	readonly readOnly: readonly Mount[];
	/** Mounted writable, 8 MB each. */
	readonly writable: readonly Mount[];
	readonly environment: Readonly<Record<string, string>>;
	/** Written to standard input, which is then closed. */
	readonly input: string;
	readonly memoryMb: number;
	readonly timeoutMs: number;
	readonly hasNetwork: boolean;
}

/** Where images written for other platforms look for the submission. */
const SUBMISSION_TARGETS = ["/submission", "/agent_output", "/autograder/submission", "/app/input/res", "/input"];
const RESULT_TARGETS = ["/results", "/autograder/results", "/app/output", "/logs/verifier", "/output"];

export interface GraderOptions {
	readonly engine: Engine;
	/** A folder of this machine in which each job gets one of its own, removed at its end. */
	readonly workFolder: string;
	readonly now: () => number;
}

/** @throws EngineFault and DownloadFault never: they become `platform_error`. */
export async function gradeSubmission(request: GradingRequest, watch: GradingWatch, options: GraderOptions): Promise<GradingResult> {
	await mkdir(options.workFolder, { recursive: true });
	const folder = await mkdtemp(join(options.workFolder, `${request.id}-`));
	try {
		return await gradeIn(folder, { request, watch, options });
	} catch (error) {
		if (error instanceof EngineFault || error instanceof DownloadFault) return platformError(error.message);
		if (error instanceof ArchiveFault) return platformError(`The artifact cannot be unpacked: ${error.message}`);
		throw error;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

interface Job {
	readonly request: GradingRequest;
	readonly watch: GradingWatch;
	readonly options: GraderOptions;
}

async function gradeIn(folder: string, job: Job): Promise<GradingResult> {
	const { request, watch, options } = job;
	watch.report("pulling", `Pulling ${request.image}.`);
	const digest = await options.engine.pull(request.image, watch.signal);
	watch.report("running", "Unpacking the submission.");
	const cases = await prepare(folder, job);
	const startedAt = options.now();
	const runOnce = (index: number, input: string) => {
		const timeoutMs = Math.max(1, request.timeout_s * 1000 - (options.now() - startedAt));
		return run({ folder, job, digest, index, input, timeoutMs });
	};
	if (cases === null) {
		watch.report("running", "Running the image.");
		const { end, results } = await runOnce(0, "");
		return concludeRun(end, request, () => readScore(results, request.task));
	}
	return runSuite(cases, job, runOnce);
}

/** The submission, the task and the suite on disk, as the image will see them; the suite's cases, or null without one. */
async function prepare(folder: string, { request, watch }: Job): Promise<readonly TestCase[] | null> {
	await mkdir(join(folder, "submission"));
	await mkdir(join(folder, "task"));
	await unpack(await downloadArtifact(request.artifact_url, watch.signal), join(folder, "submission"));
	const { task, memory_mb, timeout_s } = request;
	await writeFile(join(folder, "task", "task.json"), JSON.stringify({ ...task, memory_mb, timeout_s }));
	if (request.test_suite_url === null) return null;
	const bytes = await downloadSuite(request.test_suite_url, watch.signal);
	await writeFile(join(folder, "task", "test_suite.json"), bytes);
	return testSuite.parse(JSON.parse(new TextDecoder().decode(bytes))).test_cases;
}

interface Run {
	readonly folder: string;
	readonly job: Job;
	readonly digest: string;
	/** Of the run within its job, from 0. */
	readonly index: number;
	readonly input: string;
	readonly timeoutMs: number;
}

/** Each run gets folders of its own for its results, so that no case sees what another has left. */
async function run({ folder, job, digest, index, input, timeoutMs }: Run) {
	const { request, watch, options } = job;
	const results = RESULT_TARGETS.map((target) => ({ target, folder: join(folder, "results", String(index), target) }));
	for (const mount of results) await mkdir(mount.folder, { recursive: true });
	const submission = SUBMISSION_TARGETS.map((target) => ({ target, folder: join(folder, "submission") }));
	const spec: RunSpec = {
		name: `grading-${request.id}-${index}`,
		image: request.image,
		digest,
		readOnly: [...submission, { target: "/task", folder: join(folder, "task") }],
		writable: results,
		environment: {
			SUBMISSION_DIR: "/submission",
			RESULTS_DIR: "/results",
			SCORE_FILE: "/results/score.json",
			TASK_FILE: "/task/task.json",
			EVAL_ID: request.id,
			TIME_LIMIT_S: String(request.timeout_s),
			MEMORY_LIMIT_MB: String(request.memory_mb),
		},
		input,
		memoryMb: request.memory_mb,
		timeoutMs,
		hasNetwork: request.network,
	};
	return { end: await options.engine.run(spec, watch.signal), results };
}

type RunOnce = (index: number, input: string) => ReturnType<typeof run>;

/** One run for each case, all of them within the time of one. A run that fails ends the suite with its outcome. */
async function runSuite(cases: readonly TestCase[], { request, watch }: Job, runOnce: RunOnce): Promise<GradingResult> {
	const tests: TestResult[] = [];
	let last: GradingResult | null = null;
	for (const [index, testCase] of cases.entries()) {
		watch.report("running", `Running test case ${index + 1} of ${cases.length}.`);
		const { end, results } = await runOnce(index, testCase.input);
		const result = await concludeRun(end, request, () => readScore(results, request.task));
		// An image that only answers the cases writes no score, and need not.
		if (result.outcome !== "graded" && result.outcome !== "grader_no_result") return { ...result, tests };
		tests.push(judgeCase(testCase, end.standardOutput));
		last = result;
	}
	if (last === null) return platformError("The test suite has no cases.");
	return { ...last, outcome: "graded", message: "", test_score: shareOfPassed(tests), tests };
}
