// The job of a case packs its files when its turn comes, and judges them in the same way as a submission's.
import { eq } from "drizzle-orm";
import type { JobAttempt, JobKind, JobResult } from "../../core/competition/evaluation/job-kind.ts";
import { judgeWork } from "../../core/competition/evaluation/judge-work.ts";
import { readTask, warnOwner } from "../../core/competition/tasks/store.ts";
import { trialKey } from "../../core/competition/tasks/stored-objects.ts";
import { artifactObjects } from "../../core/judging/artifacts/artifact-index.ts";
import { MAX_ATTEMPTS } from "../../core/judging/rules.ts";
import type { EvaluationSubmission } from "../../core/judging/work.ts";
import { type TrialRow, trials } from "../../db/task/schema/judging.ts";
import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import { MODES } from "../../domain/modes.ts";
import { checkedScore, hasPassed } from "../../fields/judge-check.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Job, TaskStore } from "../../ports/task.ts";
import {
	endTrial,
	failTrial,
	findModeFault,
	findTrial,
	type ReferenceFiles,
	readReferences,
	scoreTrial,
	storeTrialFiles,
	workOfTrial,
} from "../dry-runs/trials.ts";
import { type AttackTarget, JUDGE_CASES } from "./cases.ts";
import { endedCheckWarning, failedCaseWarning } from "./rules.ts";

interface OpenedCase {
	readonly submission: EvaluationSubmission;
	/** The name of one of the platform's cases. Null for a reference, whose label can be any text. */
	readonly name: string | null;
	/** The reference whose files the case uses. Null for one of the platform's cases, and if the reference was erased. */
	readonly copied: ReferenceFiles | null;
}

/** The columns that describe the packed files of a case. */
type PackedCase = ReferenceFiles;

export const caseJob: JobKind<OpenedCase, PackedCase> = {
	kind: "judge_check",
	subject: "trial",
	// No one is waiting for the result.
	lane: "checks",
	tries: MAX_ATTEMPTS,
	judgesHeld: true,
	isReserved: false,
	open: openCase,
	record(task, { subjectId }, { findings: { own: packed } }) {
		if (packed !== undefined) task.db.update(trials).set(packed).where(eq(trials.id, subjectId)).run();
	},
	score: (task, { subjectId }, { judgement }) => warnOfCase(task, scoreTrial(task, subjectId, judgement)),
	fail: (task, { subjectId }, fault) => warnOfCase(task, failTrial(task, subjectId, fault)),
	work: judgeCase,
	listLeftovers: ({ job, task }) => artifactObjects(trialKey(task.id, job.subjectId)),
};

function openCase(task: TaskStore, { subjectId, attempts }: Job): OpenedCase | null {
	const judged = readTask(task);
	const trial = findTrial(task, subjectId);
	if (trial === null) return null;
	if (judged.status === "closed") {
		endTrial(task, trial.id, { status: "cancelled" });
		return null;
	}
	const fault = findModeFault(judged);
	if (fault !== null) {
		warnOfCase(task, failTrial(task, trial.id, fault));
		return null;
	}
	// Graders download the files by the id of the trial.
	if (MODES[judged.evalMode].usesImage && attempts === 1) task.markLocated(trial.id);
	const copied = trial.referenceId === null ? null : findReference(task, trial.referenceId);
	return { submission: workOfTrial(trial, judged), name: trial.referenceId === null ? trial.name : null, copied };
}

function findReference(task: TaskStore, referenceId: string): ReferenceFiles | null {
	const reference = readReferences(task).find(({ id }) => id === referenceId);
	if (reference === undefined) return null;
	const { artifactKey, artifactSha256, missingSections } = reference;
	return { artifactKey, artifactSha256, missingSections };
}

/** The score of a case need not be exact, so one sample is enough. */
async function judgeCase(deps: Deps, attempt: JobAttempt<OpenedCase, PackedCase>): Promise<JobResult> {
	const { submission } = attempt.material.opened;
	const packed = submission.artifactKey === null ? await packCase(deps, attempt) : {};
	return judgeWork(deps, attempt, { submission: { ...submission, ...packed }, samples: 1, isTrial: true, isSigned: false });
}

/** Packs the files of a case. @throws EvaluationFault if they no longer exist, so that the case ends without a score. */
async function packCase(deps: Deps, { material, findings }: JobAttempt<OpenedCase, PackedCase>): Promise<PackedCase> {
	const { job, task, criteria, opened } = material;
	const key = trialKey(task.id, job.subjectId);
	const packed =
		opened.copied === null
			? await storeCase(deps, key, { name: opened.name, task: { title: task.title, criteria } })
			: await copyReference(deps, key, opened.copied);
	if (packed === null) throw new EvaluationFault("Its files no longer exist.", { blame: "platform", isRetryable: false });
	findings.own = packed;
	return packed;
}

/**
 * Packs one of the platform's cases. A consumer that takes over from a dead one overwrites the same object.
 * Returns null if this version of the platform no longer has the case.
 */
async function storeCase(
	deps: Deps,
	artifactKey: string,
	{ name, task }: { name: string | null; task: AttackTarget },
): Promise<PackedCase | null> {
	const attack = JUDGE_CASES.find((one) => one.name === name);
	if (attack === undefined) return null;
	const encoder = new TextEncoder();
	const files = Object.entries(attack.files(task)).map(([path, text]) => ({ path, content: encoder.encode(text) }));
	return storeTrialFiles(deps, artifactKey, files);
}

/**
 * Copies the files of a reference for its case, because graders download files by the id of the trial. Returns null if the files are gone.
 */
async function copyReference({ bucket }: Deps, artifactKey: string, reference: ReferenceFiles): Promise<PackedCase | null> {
	const object = await bucket.get(reference.artifactKey);
	if (object === null) return null;
	await bucket.put(artifactKey, await object.arrayBuffer(), { httpMetadata: { contentType: "application/zip" } });
	return { ...reference, artifactKey };
}

/** Warns the task's owner about a failed case. The owner gets one warning of each kind, however many cases fail. */
function warnOfCase(task: TaskStore, trial: TrialRow): void {
	if (hasPassed(trial) === false) {
		const message = failedCaseWarning(trial, { score: checkedScore(trial), mode: readTask(task).evalMode });
		warnOwner(task, { code: "JUDGE_CHECK_FAILED", message });
	}
	if (trial.status === "evaluation_failed" && trial.blame === "platform") {
		warnOwner(task, { code: "JUDGE_CHECK_ENDED", message: endedCheckWarning(trial) });
	}
}
