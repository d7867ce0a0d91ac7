// A consumer of the queue claims a job of a task, judges, and tells the object of the task how that ended.
import { EvaluationFault, recordOf } from "../../../domain/evaluation-fault.ts";
import { copyReference, storeCase } from "../../../extensions/dry-runs/trials.ts";
import { takeStep } from "../../../extensions/final-round/round-step.ts";
import { signArtifact } from "../../../extensions/similarity/signed-work.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { Lane } from "../../../ports/queues.ts";
import { unlessDeleted } from "../../../ports/task.ts";
import { artifactObjects, hashArtifact } from "../../judging/artifacts/artifact-index.ts";
import { evaluateByMode } from "../../judging/modes/evaluate-by-mode.ts";
import type { EvaluationSubmission, EvaluationWork } from "../../judging/work.ts";
import { type Findings, judgementOf } from "../judgements/judgement.ts";
import { findPause } from "../tasks/hold-ups.ts";
import { JOB_OBJECTS, jobObjectKey, trialKey } from "../tasks/stored-objects.ts";
import { faultOfAttempt, logFault, writeAttempt } from "./attempts.ts";
import type { JobMaterial, Subject } from "./job-kinds.ts";
import { type Claim, claimJob, type FinishOutcome, finishJob, type JobResult, renewJob } from "./loop.ts";
import { findReach, LostClaimError, type ObjectRecord, objectRecord, stopRuns } from "./record.ts";
import { CLAIM_MS, CLAIM_RENEWAL_MS } from "./rules.ts";

/**
 * Works on the next job of a task. Does nothing if there is none, because messages are repeated or late.
 *
 * @param lane Selects jobs of this lane. Null selects all.
 */
export async function workOff(deps: Deps, taskId: string, lane: Lane | null = null): Promise<void> {
	await unlessDeleted(workOnce(deps, taskId, lane));
}

async function workOnce(deps: Deps, taskId: string, lane: Lane | null): Promise<void> {
	const token = deps.ids.next();
	const pause = await findPause(deps);
	const startedAt = deps.clock.now();
	const material = await claimJob(deps, taskId, { token, pause, lane });
	if (material === null) return;
	const { kind, subjectId } = material.job;
	const held = { kind, subjectId, token };
	const attempt = { material, record: objectRecord(deps, { task: material.task, job: material.job, held }), found: {}, startedAt };
	const result = await whileRenewing(deps, { taskId, held }, () => tryToJudge(deps, attempt));
	// The calls cost money even if another consumer has the job now, or the task is gone.
	await attempt.record.settle(result?.kind === "scored");
	if (result === null) return;
	const { record, found } = attempt;
	const input = { held, startedAt, used: record.used, found, result };
	const outcome = await finishJob(deps, taskId, input);
	reportAttempt(deps, attempt, { result, outcome });
	if (["scored", "failed", "done"].includes(outcome)) deps.background(deleteJobObjects(deps, material));
}

type WritableFindings = { -readonly [Name in keyof Findings]: Findings[Name] };

interface JobAttempt {
	readonly material: JobMaterial;
	readonly record: ObjectRecord;
	/** The consumer adds to it while it works. */
	readonly found: WritableFindings;
	/** The time is in milliseconds since the epoch. */
	readonly startedAt: number;
}

/** Renews the claim while the work runs. */
async function whileRenewing<T>(deps: Deps, { taskId, held }: { taskId: string; held: Claim }, work: () => Promise<T>): Promise<T> {
	const stop = deps.clock.every(CLAIM_RENEWAL_MS, () => {
		deps.background(renewJob(deps, taskId, held));
	});
	try {
		return await work();
	} finally {
		stop();
	}
}

/** Returns null when another consumer has the job now. */
async function tryToJudge(deps: Deps, attempt: JobAttempt): Promise<JobResult | null> {
	const { material } = attempt;
	try {
		if (material.subject !== null) return await judgeSubject(deps, attempt, material.subject);
		if (material.step === null) return await stopJob(deps, material);
		await takeStep(deps, material.step, material);
		return { kind: "done" };
	} catch (error) {
		if (error instanceof LostClaimError) return null;
		const fault = faultOfAttempt(deps, error);
		if (fault.costsAttempt) logFault(deps, idsOf(material), fault);
		return { kind: "fault", fault: recordOf(fault) };
	}
}

async function judgeSubject(deps: Deps, { material, record, found }: JobAttempt, subject: Subject): Promise<JobResult> {
	const { job, task, criteria } = material;
	const submission = await prepareFiles(deps, { material, subject, found });
	if (submission === null) return { kind: "done" };
	const work: EvaluationWork = {
		...{ task, criteria, submission, record },
		job: { ...job, origin: task.origin },
		isTrial: subject.isTrial,
		...(subject.samples === null ? {} : { samples: subject.samples }),
		reach: await findReachOf(deps, material, subject),
		isFurther: subject.isFurther,
	};
	const outcome = await evaluateByMode(deps, work);
	if (outcome.kind === "waiting") return outcome;
	const signed = subject.isUnsigned ? null : { submissionId: submission.id, round: job.round };
	const { artifactSha256 } = submission;
	return { kind: "scored", judgement: await judgementOf(deps, { task, criteria, artifactSha256, signed }, outcome.result) };
}

/** Only the submissions of agents before the final round are judged in two stages. */
function findReachOf(deps: Deps, { job, task }: JobMaterial, { submission, isTrial }: Subject): Promise<number | null> | null {
	if (deps.judge?.screening === undefined || isTrial || job.round === "final") return null;
	return findReach(deps, task.id, { agentId: submission.agentId });
}

/** Completes what is known of the files, before they are judged. Returns null when there is nothing to judge. */
async function prepareFiles(
	deps: Deps,
	{ material, subject, found }: { readonly material: JobMaterial; readonly subject: Subject; readonly found: WritableFindings },
): Promise<EvaluationSubmission | null> {
	const { submission, attack, copied, isSigned } = subject;
	const { task, criteria } = material;
	if (attack !== null && submission.artifactKey === null) {
		const key = trialKey(task.id, submission.id);
		const packed =
			copied === null
				? await storeCase(deps, key, { name: attack, task: { title: task.title, criteria } })
				: await copyReference(deps, key, copied);
		if (packed === null) return null;
		found.packed = packed;
		return { ...submission, ...packed };
	}
	if (submission.artifactKey === null) return submission;
	const artifactSha256 = submission.artifactSha256 ?? (await hashArtifact(deps.bucket, submission.artifactKey));
	if (submission.artifactSha256 === null) found.artifactSha256 = artifactSha256;
	if (!isSigned) {
		found.signature = await signArtifact(deps, submission.artifactKey, { isCandidate: task.finalRound });
	}
	return { ...submission, artifactSha256 };
}

/** Stops the runs of a job that has ended, and stops them again once a consumer that has lost its claim can no longer request one. */
async function stopJob(deps: Deps, { job }: JobMaterial): Promise<JobResult> {
	if (!(await stopRuns(deps, job.subjectId, job.runs))) {
		throw new EvaluationFault("The grader cannot be reached.", { blame: "platform", isRetryable: true, waitsFor: "grader" });
	}
	if (job.progress !== null) return { kind: "done" };
	return { kind: "waiting", visitAgainAt: deps.clock.now() + CLAIM_MS, progress: { isStopped: true } };
}

/** Returns the ids that lead an operator from the log to the job, and to the request that asked for it. */
function idsOf({ job, task }: JobMaterial) {
	return { request_id: job.requestId, job_id: job.id, task_id: task.id, subject_id: job.subjectId };
}

const COUNTED: ReadonlySet<FinishOutcome> = new Set(["scored", "failed", "retried", "deferred"]);

function reportAttempt(
	deps: Deps,
	{ material, startedAt }: JobAttempt,
	{ result, outcome }: { result: JobResult; outcome: FinishOutcome },
): void {
	const fault = result.kind === "fault" ? result.fault : null;
	if (outcome === "deferred") {
		deps.log.info("evaluation_deferred", { ...idsOf(material), reason: fault?.message, supplier_words: fault?.supplierWords });
	}
	if (material.subject === null || !isCounted(outcome)) return;
	const { isTrial } = material.subject;
	const { kind } = material.job;
	deps.log.info("evaluation", { ...idsOf(material), kind, outcome, ms: deps.clock.now() - startedAt });
	writeAttempt(deps, { job: material.job, startedAt, outcome, failure: fault?.failure, isTrial });
}

function isCounted(outcome: FinishOutcome): outcome is Parameters<typeof writeAttempt>[1]["outcome"] {
	return COUNTED.has(outcome);
}

/** Deletes what was stored for the job only. The collector deletes what a crash leaves. */
async function deleteJobObjects({ bucket }: Deps, { job, task, subject }: JobMaterial): Promise<void> {
	const keys = JOB_OBJECTS.map((object) => jobObjectKey(task.id, job.id, object));
	await bucket.delete([
		...keys,
		...(subject?.isTrial === true && !subject.isKept ? artifactObjects(trialKey(task.id, job.subjectId)) : []),
	]);
}
