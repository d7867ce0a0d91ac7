// Grading one submission from its artifact to its result. What runs containers stands behind a port.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { ArchiveFault } from "../src/features/artifacts/policy.ts";
import type { GradingRequest, GradingResult, TestResult } from "../src/ports/grading.ts";
import { type TestCase, testSuite } from "../src/ports/grading.ts";
import { type Engine, EngineFault, type PulledImage, type RunSpec } from "./engine/port.ts";
import { type GradingWatch, platformError } from "./jobs.ts";
import { concludeRun } from "./outcome.ts";
import { makeResultFolders, type ResultLimit } from "./result-folders.ts";
import { readScore } from "./results.ts";
import { findPatternFault, judgeCase, shareOfPassed } from "./test-suite.ts";
import { DownloadFault, downloadArtifact, downloadSuite, unpack } from "./unpack.ts";

/** Where images written for other platforms look for the submission. */
const SUBMISSION_TARGETS = ["/submission", "/agent_output", "/autograder/submission", "/app/input/res", "/input"];
const RESULT_TARGETS = ["/results", "/autograder/results", "/app/output", "/logs/verifier", "/output"];

export interface GraderOptions {
	readonly engine: Engine;
	/** A folder of this machine in which each job gets one of its own, removed at its end. */
	readonly workFolder: string;
	readonly resultLimit: ResultLimit;
	readonly now: () => number;
	readonly logFault: (error: unknown) => void;
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
		await discard(folder, options);
	}
}

/** What cannot be removed is no reason to lose a result; whoever runs the grader is told. */
export async function discard(folder: string, { engine, logFault }: Pick<GraderOptions, "engine" | "logFault">): Promise<void> {
	try {
		await rm(folder, { recursive: true, force: true });
	} catch {
		await engine.removeFolder(folder).catch(logFault);
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
	const image = await options.engine.pull(request.image, watch.signal);
	watch.report("running", "Unpacking the submission.");
	const cases = await prepare(folder, job);
	const fault = findSuiteFault(cases ?? []);
	if (fault !== null) return { ...platformError(fault), outcome: "grader_error", image_digest: image.digest };
	const startedAt = options.now();
	const runOnce = (index: number, input: string) => {
		const timeoutMs = Math.max(1, request.timeout_s * 1000 - (options.now() - startedAt));
		return run({ folder, job, image, index, input, timeoutMs });
	};
	if (cases === null) {
		watch.report("running", "Running the image.");
		return (await runOnce(0, "")).result;
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

/** No run of the image would mend it, so none is made. */
function findSuiteFault(cases: readonly TestCase[]): string | null {
	for (const { name, match_type, expected_output } of cases) {
		const fault = match_type === "regex" ? findPatternFault(expected_output) : null;
		if (fault !== null) return `The pattern of the test case ${JSON.stringify(name)} cannot be used: ${fault}.`;
	}
	return null;
}

interface Run {
	readonly folder: string;
	readonly job: Job;
	readonly image: PulledImage;
	/** Of the run within its job, from 0. */
	readonly index: number;
	readonly input: string;
	readonly timeoutMs: number;
}

interface RunResult {
	readonly result: GradingResult;
	readonly standardOutput: string;
}

/** Each run gets folders of its own for its results, so that no case sees what another has left. */
async function run({ folder, job, image, index, input, timeoutMs }: Run): Promise<RunResult> {
	const { request, watch, options } = job;
	const runFolder = join(folder, `run-${index}`);
	const results = await makeResultFolders(runFolder, RESULT_TARGETS, options.resultLimit);
	try {
		const spec: RunSpec = {
			name: `grading-${basename(folder)}-${index}`,
			imageId: image.id,
			folder: runFolder,
			readOnly: [
				...SUBMISSION_TARGETS.map((target) => ({ target, folder: join(folder, "submission") })),
				{ target: "/task", folder: join(folder, "task") },
			],
			writable: results.mounts,
			environment: environmentOf(request),
			input,
			memoryMb: request.memory_mb,
			timeoutMs,
			hasNetwork: request.network,
			kill: results.overflow,
		};
		const container = await options.engine.run(spec, watch.signal);
		const end = { ...container, imageDigest: image.digest, isDiskFull: await results.isFull() };
		const result = await concludeRun(end, request, () => readScore(results.mounts, request.task));
		return { result, standardOutput: container.standardOutput };
	} finally {
		await results.release();
		await discard(runFolder, options);
	}
}

function environmentOf({ id, timeout_s, memory_mb }: GradingRequest): Readonly<Record<string, string>> {
	return {
		SUBMISSION_DIR: "/submission",
		RESULTS_DIR: "/results",
		SCORE_FILE: "/results/score.json",
		TASK_FILE: "/task/task.json",
		EVAL_ID: id,
		TIME_LIMIT_S: String(timeout_s),
		MEMORY_LIMIT_MB: String(memory_mb),
	};
}

type RunOnce = (index: number, input: string) => Promise<RunResult>;

/** One run for each case, all of them within the time of one. A run that fails ends the suite with its outcome. */
async function runSuite(cases: readonly TestCase[], { watch }: Job, runOnce: RunOnce): Promise<GradingResult> {
	const tests: TestResult[] = [];
	let last: GradingResult | null = null;
	for (const [index, testCase] of cases.entries()) {
		watch.report("running", `Running test case ${index + 1} of ${cases.length}.`);
		const { result, standardOutput } = await runOnce(index, testCase.input);
		// An image that only answers the cases writes no score, and need not.
		if (result.outcome !== "graded" && result.outcome !== "grader_no_result") return { ...result, tests };
		tests.push(judgeCase(testCase, standardOutput));
		last = result;
	}
	if (last === null) return platformError("The test suite has no cases.");
	return { ...last, outcome: "graded", message: "", test_score: shareOfPassed(tests), tests };
}
