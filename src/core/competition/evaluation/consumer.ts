// A consumer of the queue claims a job of a task, does the job, and reports the result to the Task object.
import { recordOf } from "../../../domain/evaluation-fault.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { Lane } from "../../../ports/queues.ts";
import { unlessDeleted } from "../../../ports/task.ts";
import { withJudgeOf } from "../../judging/engine/judge-of-task.ts";
import { findPause } from "../tasks/hold-ups.ts";
import { JOB_OBJECTS, jobObjectKey } from "../tasks/stored-objects.ts";
import { faultOfAttempt, logFault, writeAttempt } from "./attempts.ts";
import { type JobAttempt, type JobKind, type JobMaterial, type JobResult, rulesOf } from "./job-kind.ts";
import { type Claim, claimJob, type FinishOutcome, finishJob, renewJob } from "./loop.ts";
import { LostClaimError, objectRecord } from "./record.ts";
import { CLAIM_RENEWAL_MS } from "./rules.ts";

/**
 * Works on the task's next job. There may be none, because messages can be repeated or late.
 *
 * @param jobs All kinds of jobs, the same as in the Task object.
 * @param lane The lane to take the job from. Null means any.
 */
export async function workOffJobs(
	deps: Deps,
	jobs: readonly JobKind[],
	{ taskId, lane }: { readonly taskId: string; readonly lane: Lane | null },
): Promise<void> {
	await unlessDeleted(workOnce(deps, jobs, { taskId, lane }));
}

async function workOnce(
	deps: Deps,
	jobs: readonly JobKind[],
	{ taskId, lane }: { readonly taskId: string; readonly lane: Lane | null },
): Promise<void> {
	const token = deps.ids.next();
	const pause = await findPause(deps);
	const startedAt = deps.clock.now();
	const material = await claimJob(deps, taskId, { token, pause, lane });
	if (material === null) return;
	const { job, task } = material;
	const kind = rulesOf(jobs, job);
	const claim = { kind: job.kind, subjectId: job.subjectId, token };
	const record = objectRecord(deps, { task, job, claim });
	const attempt: JobAttempt = { material, record, findings: {} };
	const result = await whileRenewing(deps, { taskId, claim }, () => tryToWork(withJudgeOf(deps, task), kind, attempt));
	// Settles the cost even if another consumer has taken over the job or the task was deleted, because the model calls were made.
	await record.settle(result?.kind === "scored");
	if (result === null) return;
	const ending = { claim, startedAt, used: record.used, findings: attempt.findings, result };
	const outcome = await unlessDeleted(finishJob(deps, taskId, ending));
	if (outcome !== null) reportAttempt(deps, { material, kind, startedAt }, { result, outcome });
	// No collector runs for a task that was deleted in the meantime.
	if (outcome === null || ["scored", "failed", "done"].includes(outcome)) deps.background(deleteJobObjects(deps, kind, material));
}

/** Renews the claim while the work runs. */
async function whileRenewing<T>(deps: Deps, { taskId, claim }: { taskId: string; claim: Claim }, work: () => Promise<T>): Promise<T> {
	const stop = deps.clock.every(CLAIM_RENEWAL_MS, () => {
		deps.background(renewJob(deps, taskId, claim));
	});
	try {
		return await work();
	} finally {
		stop();
	}
}

/** Does the job. Returns null if the job has ended or another consumer has taken it over. */
async function tryToWork(deps: Deps, kind: JobKind, attempt: JobAttempt): Promise<JobResult | null> {
	try {
		return await kind.work(deps, attempt);
	} catch (error) {
		if (error instanceof LostClaimError) return null;
		const fault = faultOfAttempt(deps, error);
		if (fault.costsAttempt) logFault(deps, idsOf(attempt.material), fault);
		return { kind: "fault", fault: recordOf(fault) };
	}
}

/** Returns ids for the log, so that operators can find the job and the request that started it. */
function idsOf({ job, task }: JobMaterial) {
	return { request_id: job.requestId, job_id: job.id, task_id: task.id, subject_id: job.subjectId };
}

const COUNTED: ReadonlySet<FinishOutcome> = new Set(["scored", "failed", "retried", "deferred"]);

function reportAttempt(
	deps: Deps,
	{ material, kind, startedAt }: { readonly material: JobMaterial; readonly kind: JobKind; readonly startedAt: number },
	{ result, outcome }: { result: JobResult; outcome: FinishOutcome },
): void {
	const fault = result.kind === "fault" ? result.fault : null;
	if (outcome === "deferred") {
		deps.log.info("evaluation_deferred", { ...idsOf(material), reason: fault?.message, supplier_words: fault?.supplierWords });
	}
	if (kind.subject === null || !isCounted(outcome)) return;
	const { job } = material;
	deps.log.info("evaluation", { ...idsOf(material), kind: job.kind, outcome, ms: deps.clock.now() - startedAt });
	writeAttempt(deps, { job, startedAt, outcome, failure: fault?.failure, subject: kind.subject });
}

function isCounted(outcome: FinishOutcome): outcome is Parameters<typeof writeAttempt>[1]["outcome"] {
	return COUNTED.has(outcome);
}

/** Deletes the bucket objects of this job. If the consumer crashes before that, the collector deletes them. */
async function deleteJobObjects({ bucket }: Deps, kind: JobKind, material: JobMaterial): Promise<void> {
	const { job, task } = material;
	const keys = JOB_OBJECTS.map((object) => jobObjectKey(task.id, job.id, object));
	await bucket.delete([...keys, ...(kind.listLeftovers?.(material) ?? [])]);
}
