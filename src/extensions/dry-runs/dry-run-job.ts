// The job of a dry run judges its files in the same way as a submission's.
import { eq } from "drizzle-orm";
import type { JobAttempt, JobKind, JobResult } from "../../core/competition/evaluation/job-kind.ts";
import { judgeWork } from "../../core/competition/evaluation/judge-work.ts";
import { singleReport, writeReport } from "../../core/competition/judgements/report.ts";
import { addDryRunUsage } from "../../core/competition/judgements/usage.ts";
import { readTask } from "../../core/competition/tasks/store.ts";
import { trialKey } from "../../core/competition/tasks/stored-objects.ts";
import { artifactObjects } from "../../core/judging/artifacts/artifact-index.ts";
import { MAX_ATTEMPTS } from "../../core/judging/rules.ts";
import type { EvaluationSubmission } from "../../core/judging/work.ts";
import { trials } from "../../db/task/schema/judging.ts";
import type { FaultRecord } from "../../domain/evaluation-fault.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Judgement } from "../../ports/judgement.ts";
import type { Job, TaskStore } from "../../ports/task.ts";
import { failTrial, findModeFault, findTrial, scoreTrial, workOfTrial } from "./trials.ts";

interface OpenedRun {
	readonly submission: EvaluationSubmission;
	/** True if the files are kept, because the run is a reference or may become one. */
	readonly isKept: boolean;
}

export const dryRunJob: JobKind<OpenedRun> = {
	kind: "dry_run",
	subject: "trial",
	lane: "waited_for",
	tries: MAX_ATTEMPTS,
	judgesHeld: true,
	isReserved: false,
	open: openRun,
	record(task, { subjectId }, { used }) {
		for (const part of used) addDryRunUsage(task, { holder: subjectId, model: part.model }, part);
	},
	score: (task, { subjectId }, { judgement }) => scoreRun(task, subjectId, judgement),
	fail: (task, { subjectId }, fault) => failRun(task, subjectId, fault),
	work: judgeRun,
	listLeftovers: ({ job, task, opened }) => (opened.isKept ? [] : artifactObjects(trialKey(task.id, job.subjectId))),
};

function openRun(task: TaskStore, { subjectId }: Job): OpenedRun | null {
	const judged = readTask(task);
	const run = findTrial(task, subjectId);
	const fault = findModeFault(judged);
	if (run !== null && fault !== null) failRun(task, run.id, fault);
	if (run === null || fault !== null) return null;
	return { submission: workOfTrial(run, judged), isKept: run.reference || judged.status === "draft" };
}

function judgeRun(deps: Deps, attempt: JobAttempt<OpenedRun>): Promise<JobResult> {
	return judgeWork(deps, attempt, { submission: attempt.material.opened.submission, isTrial: true, isSigned: false });
}

/** Writes no report if the files are gone, because the poster may have been erased during the judging. */
function scoreRun(task: TaskStore, id: string, judgement: Judgement): void {
	const { artifactKey } = scoreTrial(task, id, judgement);
	if (artifactKey !== null) writeReport(task, id, singleReport(judgement.texts));
}

function failRun(task: TaskStore, id: string, fault: FaultRecord): void {
	const { artifactKey } = failTrial(task, id, fault);
	if (artifactKey === null) task.db.update(trials).set({ errorMessage: null }).where(eq(trials.id, id)).run();
}
