// The job of a candidate judges its submission again. The result is kept until the order of the final round is decided.
import { completeFiles, type OpenedSubmission, openSubmission } from "../../core/competition/evaluation/evaluate-submission.ts";
import type { JobAttempt, JobKind, JobResult } from "../../core/competition/evaluation/job-kind.ts";
import { judgeWork } from "../../core/competition/evaluation/judge-work.ts";
import { recordFindings, warnOfImage, withoutErasedTexts } from "../../core/competition/evaluation/outcome.ts";
import { getSubmissionRow } from "../../core/competition/submissions/store.ts";
import { MAX_ATTEMPTS } from "../../core/judging/rules.ts";
import { sumUsage } from "../../domain/spend.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Job, TaskStore } from "../../ports/task.ts";
import { spendReserved } from "./candidates.ts";
import { keepRoom } from "./reserve-round.ts";
import { findRound } from "./round.ts";
import { extendRound, failCandidate, findDecision, keepScore, noteFirstCall, planSamples } from "./round-results.ts";

interface OpenedCandidate extends OpenedSubmission {
	/** The number of samples per criterion. */
	readonly samples: number;
	/** True if these are extra samples of a candidate whose image has already run. */
	readonly isFurther: boolean;
}

/** The job's kind is `evaluation`, so every list of evaluations includes it. The round ends the job. */
export const candidateJob: JobKind<OpenedCandidate> = {
	kind: "evaluation",
	isBound: true,
	subject: "submission",
	lane: "waited_for",
	tries: MAX_ATTEMPTS,
	judgesHeld: true,
	isReserved: true,
	open: openCandidate,
	record(task, { subjectId }, { used, findings }) {
		recordFindings(task, getSubmissionRow(task, subjectId), findings);
		spendReserved(task, subjectId, sumUsage(used).costMicroUsd ?? 0);
	},
	score(task, { subjectId }, { judgement }) {
		keepScore(task, subjectId, withoutErasedTexts(getSubmissionRow(task, subjectId), judgement));
	},
	fail(task, { subjectId }, fault) {
		warnOfImage(task, fault);
		failCandidate(task, subjectId);
	},
	keeps: keepRoom,
	endsAt: (task) => findRound(task)?.endsAt ?? null,
	resume: extendRound,
	decides: findDecision,
	work: judgeCandidate,
};

function openCandidate(task: TaskStore, job: Job): OpenedCandidate {
	noteFirstCall(task);
	return { ...openSubmission(task, job), ...planSamples(task, job.subjectId) };
}

/** Judges a candidate without signing a receipt, because receipts are signed once the order is decided. */
async function judgeCandidate(deps: Deps, attempt: JobAttempt<OpenedCandidate>): Promise<JobResult> {
	const { samples, isFurther } = attempt.material.opened;
	return judgeWork(deps, attempt, { submission: await completeFiles(deps, attempt), samples, isFurther, isSigned: false });
}
