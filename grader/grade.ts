// Grades one submission, from its artifact to its result. engine/port.ts is the interface to the container engine.
import { createHash } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveFault } from "../src/core/judging/artifacts/policy.ts";
import type { GradingRequest, GradingResult, TestCase, TestResult } from "../src/ports/grading.ts";
import { EngineFault, ImageFault, type PulledImage } from "./engine/port.ts";
import type { GradingWatch } from "./jobs.ts";
import { isInSubmission, type Material, prepareMaterial } from "./material.ts";
import { platformError, resultOfFault } from "./outcome.ts";
import { discard, type GraderOptions, type RunResult, runOnce } from "./run.ts";
import { findSuiteFault, judgeCase, shareOfPassed } from "./test-suite.ts";
import { DownloadFault } from "./unpack.ts";

const FOLDER_NAME_CHARACTERS = 16;
/** An image that cannot start ends at once. */
const PROBE_LIMIT_MS = 20_000;

/** Grades a submission. It never throws an EngineFault, ImageFault, ArchiveFault or DownloadFault, because each becomes an outcome. */
export async function gradeSubmission(request: GradingRequest, watch: GradingWatch, options: GraderOptions): Promise<GradingResult> {
	await mkdir(options.workFolder, { recursive: true });
	// Containers see the paths of their mounts, so a path must not contain the job's id.
	const name = createHash("sha256").update(request.id).digest("hex").slice(0, FOLDER_NAME_CHARACTERS);
	const folder = await mkdtemp(join(options.workFolder, `${name}-`));
	try {
		return await gradeIn({ folder, request, watch, options });
	} catch (error) {
		if (error instanceof EngineFault || error instanceof DownloadFault) return platformError(error.message);
		if (error instanceof ImageFault) return cannotStart(error, null);
		throw error;
	} finally {
		await discard(folder, options);
	}
}

interface Job {
	readonly folder: string;
	readonly request: GradingRequest;
	readonly watch: GradingWatch;
	readonly options: GraderOptions;
}

/** A prepared job has its image and submission on this machine. */
interface PreparedJob extends Job {
	readonly image: PulledImage;
	readonly material: Material;
	readonly startedAt: number;
}

async function gradeIn(job: Job): Promise<GradingResult> {
	const { request, watch, options } = job;
	watch.report("pulling", `Pulling ${request.image}.`);
	const image = await options.engine.pull({ reference: request.image, digest: request.image_digest }, watch.signal);
	try {
		return await gradeWith(image, job);
	} finally {
		options.engine.release(image.id);
	}
}

async function gradeWith(image: PulledImage, job: Job): Promise<GradingResult> {
	const { folder, request, watch, options } = job;
	watch.report("running", "Unpacking the submission.");
	const material = await prepareMaterial(folder, request, watch.signal).catch(toArchiveFault);
	if (material instanceof ArchiveFault) {
		const message = `The artifact cannot be unpacked: ${material.message}`;
		return resultOfFault({ outcome: "submission_invalid", message }, { imageDigest: image.digest, output: "" });
	}
	const fault = await findSuiteFault(material.cases ?? []);
	if (fault !== null) return resultOfFault({ outcome: "image_error", message: fault }, { imageDigest: image.digest, output: "" });
	const prepared = { ...job, image, material, startedAt: options.now() };
	if (material.cases !== null) return runSuite(prepared, material.cases);
	watch.report("running", "Running the image.");
	return (await runCase(prepared, null, 0)).result;
}

function toArchiveFault(error: unknown): ArchiveFault {
	if (error instanceof ArchiveFault) return error;
	throw error;
}

type CaseRun = Pick<RunResult, "result"> & Partial<RunResult>;

/** Runs the image for one case, or without a case. All cases share the time of one run. */
async function runCase(job: PreparedJob, testCase: TestCase | null, index: number): Promise<CaseRun> {
	const { request, folder, image, material, options, watch, startedAt } = job;
	const timeoutMs = Math.max(1, request.timeout_s * 1_000 - (options.now() - startedAt));
	const mounts = material.mountsFor(testCase);
	const run = { request, folder, image, index, mounts, input: testCase?.input ?? "", timeoutMs };
	try {
		const ran = await runOnce(run, options, watch.signal);
		if (index > 0 || !(await failsToStart(job, ran))) return ran;
		return { result: cannotStart(new ImageFault("The image cannot be started.", ran.end.output), image) };
	} catch (error) {
		if (!(error instanceof ImageFault)) throw error;
		return { result: index > 0 ? failedBetween(error, image) : cannotStart(error, image) };
	}
}

/** Returns the outcome of a fault between runs. Only an image that never ran returns the slot. */
function failedBetween({ message, output }: ImageFault, { digest }: PulledImage): GradingResult {
	return resultOfFault({ outcome: "grader_error", message }, { imageDigest: digest, output });
}

/** Returns the outcome of an image that cannot start. If its program belongs to the submission, the submission is at fault. */
function cannotStart({ message, output }: ImageFault, image: PulledImage | null): GradingResult {
	const outcome = image?.programPaths.some(isInSubmission) === true ? "grader_error" : "image_error";
	return resultOfFault({ outcome, message }, { imageDigest: image?.digest ?? null, output });
}

/** Runtimes report a program that the kernel cannot execute with one of these, as the only line of the container's output. */
const EXEC_FAULTS = ["exec format error", "no such file or directory", "permission denied"];

function isExecFault(line: string): boolean {
	const said = line.toLowerCase();
	return !said.includes("\n") && said.includes("exec ") && EXEC_FAULTS.some((fault) => said.includes(fault));
}

/**
 * Returns true if the kernel could not execute the image's program: another architecture, a missing interpreter. Engines count such a
 * container as started, and a submission could print the same line, so the image must fail in the same way without the submission.
 */
async function failsToStart(job: PreparedJob, { end }: RunResult): Promise<boolean> {
	const said = end.output.trim();
	if (end.exitCode === 0 || end.isTimedOut || !isExecFault(said)) return false;
	const { request, folder, image, material, options, watch } = job;
	const mounts = material.mountsWithoutSubmission;
	const probe = { request, folder, image, index: 0, mounts, input: "", timeoutMs: PROBE_LIMIT_MS };
	const probed = await runOnce(probe, options, watch.signal);
	return probed.end.exitCode === end.exitCode && probed.end.output.trim() === said;
}

/** Runs the image once for each case. A run that fails ends the suite with its outcome. */
async function runSuite(job: PreparedJob, cases: readonly TestCase[]): Promise<GradingResult> {
	const tests: TestResult[] = [];
	let last: GradingResult | null = null;
	for (const [index, testCase] of cases.entries()) {
		job.watch.report("running", `Running test case ${index + 1} of ${cases.length}.`);
		const { result, end } = await runCase(job, testCase, index);
		// An image that only runs the cases need not write a score.
		const hasAnswered = result.outcome === "graded" || result.outcome === "grader_no_result";
		if (!hasAnswered || end === undefined) return { ...result, tests };
		tests.push(await judgeCase(testCase, { text: end.standardOutput, isCut: end.isOutputCut }));
		last = result;
	}
	if (last === null) return platformError("The test suite has no cases.");
	return { ...last, outcome: "graded", message: "", test_score: shareOfPassed(tests), tests };
}
