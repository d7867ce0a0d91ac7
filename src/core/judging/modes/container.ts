// In container mode, a grader runs the poster's image on the submission. The job polls the grader until the run has ended.
import * as z from "zod";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { GraderJob, GradingRequest, GradingResult, GradingService } from "../../../ports/grading.ts";
import { signDownloadUrl, signTestSuiteUrl } from "../artifacts/download-url.ts";
import { openGrader, runIdOf } from "../grader/client.ts";
import { concludeGrading } from "../grader/grading-conclusion.ts";
import { graderPollDelayMs, retryDelayMs } from "../rules.ts";
import { type EvaluationWork, type Grading, type ModeOutcome, originFor } from "../work.ts";

/** If the image fails, it is run once more. */
const MAX_IMAGE_FAILURES = 2;
/** If the grader loses a run, the run is sent to it once more. */
const MAX_SUBMITS = 2;
/** After the container of a run has failed to start this number of times, the run gets another container. */
const MAX_BAD_STARTS = 2;
const AT_ONCE_MS = SECOND_MS;

const progressSchema = z.object({
	/** The number of the current run, from 1. */
	run: z.int(),
	/** The number of times that the grader has accepted the run. Two if the grader lost the run once. */
	submits: z.int(),
	/**
	 * `looks`: how many times the grader has said that the run must still wait or is still running. `misses`: how many polls in a row have
	 * got no response since then.
	 */
	looks: z.int(),
	misses: z.int(),
	/** The number of times that the container of this run has failed to start. */
	badStarts: z.int().default(0),
	/** The number of runs that have failed after the image had started. */
	failures: z.int(),
	/** The image's digest in the request to the grader. Null if the request has none, so that the grader must find it. */
	digest: z.string().nullable(),
	/** True if a run has produced a result, which hybrid mode keeps until the judge is done. */
	isGraded: z.boolean().default(false),
});

export type GradingProgress = z.output<typeof progressSchema>;

type WaitOutcome = Extract<ModeOutcome, { kind: "waiting" }>;
export type GradingOutcome = WaitOutcome | { readonly kind: "graded"; readonly grading: Grading; readonly progress: GradingProgress };

const FIRST_RUN: GradingProgress = { run: 1, submits: 0, looks: 0, misses: 0, badStarts: 0, failures: 0, digest: null, isGraded: false };

/** Returns the progress with which {@link gradeWithImage} starts another run. */
export function nextRun(progress: GradingProgress): GradingProgress {
	return { ...FIRST_RUN, run: progress.run + 1, failures: progress.failures };
}

export function readProgress({ job }: Pick<EvaluationWork, "job">): GradingProgress {
	return progressSchema.catch(FIRST_RUN).parse(job.progress);
}

/** Returns true if a run of the image has failed, and no run has produced a result since. Returns false for the progress of other modes. */
export function hasFailedRun(progress: unknown): boolean {
	const { success, data } = progressSchema.safeParse(progress);
	return success && data.failures > 0 && !data.isGraded;
}

/** Scores a submission with only the poster's image, and without a judge. */
export async function evaluateInContainer(deps: Deps, work: EvaluationWork): Promise<ModeOutcome> {
	const outcome = await gradeWithImage(deps, work, readProgress(work));
	if (outcome.kind === "waiting") return outcome;
	const judge = { judge: "container", models: [], confirmedBy: null, promptVersion: null, temperature: null };
	return { kind: "scored", result: { ...outcome.grading, ...judge, llmScore: null, finalScore: null, samples: {} } };
}

/**
 * Does one step: requests a run, or asks the grader for the run's state. Each step can be repeated, so a consumer may die at any time.
 *
 * @throws EvaluationFault that blames the submission for the last failure of the image. The slot then stays used, so that failing on
 * purpose gains nothing. If the image cannot be started, the fault blames the task, and otherwise the platform.
 */
export async function gradeWithImage(deps: Deps, work: EvaluationWork, progress: GradingProgress): Promise<GradingOutcome> {
	const step = { deps, work, progress, grader: requireGrader(deps) };
	if (progress.submits === 0) return submitRun(step);
	const job = await findRun(step);
	if (job instanceof EvaluationFault) return waitForGrader(step, { ...progress, misses: progress.misses + 1 }, job);
	if (job === null) return repeat(step);
	if (job.result !== null) return concludeRun(step, job.result);
	const looked = { ...progress, looks: progress.looks + 1, misses: 0 };
	return wait(step, looked, standing(job.state));
}

interface GradingStep {
	readonly deps: Deps;
	readonly work: EvaluationWork;
	readonly progress: GradingProgress;
	readonly grader: GradingService;
}

function requireGrader(deps: Deps): GradingService {
	const grader = openGrader(deps);
	if (grader !== null) return grader;
	throw new EvaluationFault("This deployment has no grader for container images configured. Ask its operator for one.", {
		blame: "platform",
		isRetryable: false,
	});
}

/** Describes the state of the run. The agent reads it if the time limit is exceeded. */
function standing(state: GraderJob["state"]): string {
	return `The image was ${state}.`;
}

async function submitRun(step: GradingStep): Promise<WaitOutcome> {
	const { deps, work, progress, grader } = step;
	const run = { jobId: work.job.id, run: progress.run };
	const request = await describeRun(deps, work, runIdOf(run));
	await work.record.recordRun(progress.run);
	const submission = await grader.start(request);
	// While the grader is full, the run waits on the platform.
	if (submission === "full") return waitForGrader(step, { ...progress, looks: progress.looks + 1 }, NO_ROOM);
	if (submission === "not_started") return waitForContainer(step);
	const submitted = { ...progress, submits: progress.submits + 1, looks: 0, misses: 0, digest: work.task.evalImageDigest };
	return wait(step, submitted, standing("queued"));
}

/** Waits after a container did not start. After {@link MAX_BAD_STARTS}, tries another run, because each run has its own container. */
function waitForContainer(step: GradingStep): WaitOutcome {
	const badStarts = step.progress.badStarts + 1;
	const later = { ...step.progress, looks: step.progress.looks + 1, badStarts };
	return waitForGrader(step, badStarts < MAX_BAD_STARTS ? later : { ...nextRun(later), looks: later.looks }, NO_START);
}

/** Submits a run again that the grader has lost. @throws EvaluationFault if the grader has lost this run twice. */
function repeat(step: GradingStep): Promise<WaitOutcome> {
	if (step.progress.submits < MAX_SUBMITS) return submitRun(step);
	// The submission may have broken the grader, so this counts as an attempt.
	const facts = { blame: "platform", isRetryable: true, costsAttempt: true } as const;
	throw new EvaluationFault("The grader has lost the job.", { ...facts, progress: nextRun(step.progress) });
}

/** Returns null if the grader does not know the run. Returns a fault of the call as a value, because the run may still continue. */
async function findRun({ work, progress, grader }: GradingStep): Promise<GraderJob | EvaluationFault | null> {
	try {
		return await grader.find(runIdOf({ jobId: work.job.id, run: progress.run }));
	} catch (fault) {
		if (fault instanceof EvaluationFault) return fault;
		throw fault;
	}
}

async function concludeRun(step: GradingStep, result: GradingResult): Promise<GradingOutcome> {
	const { progress } = step;
	if (!(await ranPinnedImage(step, result)))
		return runAgain(step, "Another run has already pinned a different digest of the task's image.");
	const conclusion = readConclusion(step, result);
	if (!("message" in conclusion)) return { kind: "graded", grading: conclusion, progress };
	const failures = progress.failures + 1;
	if (failures >= MAX_IMAGE_FAILURES) {
		const { message, ownerMessage, failure } = conclusion;
		throw new EvaluationFault(message, { blame: "submission", isRetryable: false, ownerMessage, failure });
	}
	return runAgain({ ...step, progress: { ...progress, failures } }, conclusion.message);
}

function runAgain({ deps, work, progress }: GradingStep, fault: string): WaitOutcome {
	deps.background(work.record.stopRuns(progress.run));
	return { kind: "waiting", visitAgainAt: deps.clock.now() + AT_ONCE_MS, progress: nextRun(progress), fault };
}

/**
 * Returns true if the run used the task's pinned image, or if no image needs to be pinned. If a published task has no pinned image yet,
 * the first run pins its digest. If two such runs have different digests, the second run is repeated with the digest of the first.
 *
 * @throws EvaluationFault if the grader ran a different image than requested.
 */
async function ranPinnedImage({ work, progress }: GradingStep, { image_digest: ran, outcome }: GradingResult): Promise<boolean> {
	// An image that cannot be started must not be pinned.
	if (ran === null || outcome === "image_error") return true;
	// The image of a draft may still change, so it is not pinned. Publishing the task resolves it.
	if (progress.digest === null && work.task.status === "draft") return true;
	if (progress.digest === null) return (await work.record.pinImage(ran)) === ran;
	if (progress.digest === ran) return true;
	throw new EvaluationFault("The grader ran a different image than the task's.", {
		blame: "platform",
		isRetryable: true,
		waitsFor: "grader",
		progress: nextRun(progress),
	});
}

/**
 * Turns the result of a run into scores or a failure of the image. If the platform is to blame, the fault makes the next attempt start a
 * new run, because the grader would return the same result for this one.
 */
function readConclusion({ deps, work, progress }: GradingStep, result: GradingResult) {
	try {
		return concludeGrading(result, work);
	} catch (fault) {
		if (!(fault instanceof EvaluationFault) || fault.blame !== "platform") throw fault;
		deps.background(work.record.stopRuns(progress.run));
		const { message, supplierWords } = fault;
		throw new EvaluationFault(message, {
			...({ blame: "platform", isRetryable: true, waitsFor: "grader" } as const),
			...{ supplierWords, progress: nextRun(progress) },
		});
	}
}

/** Waits for a run that the grader has accepted. */
function wait({ deps, work }: GradingStep, progress: GradingProgress, fault: string): WaitOutcome {
	const visitAgainAt = Math.min(work.job.giveUpAt, deps.clock.now() + graderPollDelayMs(progress.looks));
	return { kind: "waiting", visitAgainAt, progress, fault };
}

/** Waits because the grader cannot be reached, has no room, or could not start a container. */
function waitForGrader(
	{ deps }: GradingStep,
	progress: GradingProgress,
	fault: Pick<EvaluationFault, "message" | "supplierWords">,
): WaitOutcome {
	const delayMs = progress.misses > 0 ? retryDelayMs(progress.misses, null) : graderPollDelayMs(progress.looks);
	const { message, supplierWords } = fault;
	return { kind: "waiting", visitAgainAt: deps.clock.now() + delayMs, progress, fault: message, waitsFor: "grader", supplierWords };
}

const NO_ROOM = { message: "The grader has no room for another run.", supplierWords: null };
const NO_START = { message: "The grader's container did not start.", supplierWords: null };

/** Describes the run to the grader. Its URLs are valid for as long as the evaluation can take. */
async function describeRun(
	deps: Deps,
	{ task, criteria, submission, job, isTrial = false }: EvaluationWork,
	id: string,
): Promise<GradingRequest> {
	const { id: submissionId, artifactKey } = submission;
	if (task.evalImage === null) throw new EvaluationFault("The task has no image.", { blame: "platform", isRetryable: false });
	const grant = { origin: originFor(deps, job), expiresAt: Math.max(deps.clock.now() + SECOND_MS, job.giveUpAt) };
	const artifactUrl = await signDownloadUrl(deps, { ...grant, submissionId, isTrial, artifactKey });
	return {
		id,
		image: task.evalImage,
		image_digest: task.evalImageDigest,
		artifact_url: artifactUrl,
		test_suite_url: task.testSuiteKey === null ? null : await signTestSuiteUrl(deps, { ...grant, taskId: task.id, key: task.testSuiteKey }),
		task: { id: task.id, criteria: criteria.map(({ name, description, weight }) => ({ name, description, weight })) },
		memory_mb: task.evalMemoryMb,
		timeout_s: task.evalTimeoutSeconds,
		network: task.evalNetwork,
	};
}
