// Each kind of job says how long a claim lasts, how often the job is tried, and what its end changes.
import { eq } from "drizzle-orm";
import { type JobRow, trials } from "../../../db/task/schema/judging.ts";
import type { CriterionRow, TaskRow } from "../../../db/task/schema/task.ts";
import { EvaluationFault, type FaultRecord, recordOf } from "../../../domain/evaluation-fault.ts";
import { MODES } from "../../../domain/modes.ts";
import { sumUsage } from "../../../domain/spend.ts";
import {
	cancelTrial,
	type ReferenceFiles,
	readReferences,
	recordTrialFailure,
	recordTrialScore,
} from "../../../extensions/dry-runs/trials.ts";
import { cancelRound } from "../../../extensions/final-round/cancel-round.ts";
import { spendReserved } from "../../../extensions/final-round/candidates.ts";
import { isInRound, noteFirstCall, planSamples } from "../../../extensions/final-round/round-results.ts";
import { openStep, type RoundStep } from "../../../extensions/final-round/round-step.ts";
import { NO_ROUND } from "../../../extensions/final-round/rules.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { withChecks } from "../../judging/checks/criterion-checks.ts";
import { MAX_ATTEMPTS } from "../../judging/rules.ts";
import type { ModelUsage } from "../../judging/usage-meter.ts";
import type { EvaluationSubmission } from "../../judging/work.ts";
import type { JobKind } from "../judgements/jobs.ts";
import type { Findings, Judgement } from "../judgements/judgement.ts";
import { addDryRunUsage, addFailedCost } from "../judgements/usage.ts";
import { readShare } from "../spend/task-scope.ts";
import { getSubmissionRow } from "../submissions/store.ts";
import { readCriteria, readTask } from "../tasks/store.ts";
import { isSigned, recordFailure, recordFindings, recordScore } from "./outcome.ts";

/** A consumer needs this for a job. */
export interface JobMaterial {
	readonly job: JobRow;
	readonly task: TaskRow;
	readonly criteria: readonly CriterionRow[];
	/** It is null for a job that judges nothing. */
	readonly subject: Subject | null;
	/** Only a job of a final round has a step. */
	readonly step: RoundStep | null;
}

/** Describes the submission or trial that is judged. */
export interface Subject {
	readonly submission: EvaluationSubmission;
	/** `submission` is a trial: a dry run or a case of the judge check. */
	readonly isTrial: boolean;
	/** A case of the judge check has this name. It is null for other trials. */
	readonly attack: string | null;
	/** The case has the files of this reference. */
	readonly copied: ReferenceFiles | null;
	/** The files of a dry run stay while it is a reference, or may become one. */
	readonly isKept: boolean;
	/** Each criterion gets this number of samples. It is null for as many as is usual. */
	readonly samples: number | null;
	/** The samples are further ones of a candidate whose image has run already. */
	readonly isFurther: boolean;
	/** The judgement gets its receipt later, when the order of the final round is decided. */
	readonly isUnsigned: boolean;
	/** The signature of its text is stored, so a consumer need not make it. */
	readonly isSigned: boolean;
}

interface AttemptFindings {
	readonly used: readonly ModelUsage[];
	readonly found: Findings;
	readonly isScored: boolean;
}

interface JobRules {
	/** The last of these attempts is final, also when it ends in a fault. Null for a job that judges nothing: it is tried until its time is over. */
	readonly tries: number | null;
	/** Returns what the consumer needs. Returns null when there is nothing left to do, after it has recorded why. */
	open(task: TaskStore, job: JobRow): JobMaterial | null;
	/** Writes what an attempt has used and found out, however it ended. */
	record(task: TaskStore, job: JobRow, findings: AttemptFindings): void;
	score(task: TaskStore, job: JobRow, scored: { readonly judgement: Judgement; readonly used: readonly ModelUsage[] }): void;
	fail(task: TaskStore, job: JobRow, fault: FaultRecord): void;
}

const TRIAL_RULES = {
	tries: MAX_ATTEMPTS,
	open: openTrial,
	record: recordTrialFindings,
	score: (task, { subjectId }, { judgement }) => recordTrialScore(task, subjectId, judgement),
	fail: (task, { subjectId }, fault) => recordTrialFailure(task, subjectId, fault),
} as const satisfies JobRules;

/** Consumers claim in this order: stopping frees the grader, a step lets a round go on, and agents wait for submissions. */
export const JOBS: Readonly<Record<JobKind, JobRules>> = {
	stop_runs: {
		tries: null,
		open: (task, job) => materialOf(task, job, null),
		record: () => {},
		score: () => {},
		fail: () => {},
	},
	final_round: {
		tries: null,
		open: openRoundStep,
		record: () => {},
		score: () => {},
		fail: (task) => cancelRound(task, NO_ROUND.noEstimate),
	},
	evaluation: {
		tries: MAX_ATTEMPTS,
		open: openEvaluation,
		record: recordEvaluationFindings,
		score: (task, job, { judgement, used }) => void recordScore(task, { ...evaluationOf(job), used }, judgement),
		fail: (task, job, fault) => recordFailure(task, evaluationOf(job), fault),
	},
	dry_run: TRIAL_RULES,
	judge_check: TRIAL_RULES,
} satisfies Record<JobKind, JobRules>;

function materialOf(task: TaskStore, job: JobRow, subject: Subject | null): JobMaterial {
	return {
		job,
		task: readTask(task),
		criteria: withChecks(judgedCriteria(readCriteria(task), job)),
		subject,
		step: null,
	};
}

function openRoundStep(task: TaskStore, job: JobRow): JobMaterial | null {
	const step = openStep(task);
	return step === null ? null : { ...materialOf(task, job, null), step };
}

/** Only the final round and trials judge the criteria that competitors must not tune to. */
function judgedCriteria(criteria: readonly CriterionRow[], { kind, round }: JobRow): CriterionRow[] {
	return criteria.filter(({ finalOnly }) => !finalOnly || kind !== "evaluation" || round === "final");
}

function evaluationOf({ subjectId, iteration, round, fund, operatorReason }: JobRow) {
	return { submissionId: subjectId, iteration, round, isPaidByAgent: fund === "agents", operatorReason };
}

function openEvaluation(task: TaskStore, job: JobRow): JobMaterial {
	const submission = getSubmissionRow(task, job.subjectId);
	const isCandidate = job.round === "final" && isInRound(task, submission.id);
	if (isCandidate) noteFirstCall(task);
	const plan = isCandidate ? planSamples(task, submission.id) : { samples: null, isFurther: false };
	return materialOf(task, job, {
		submission: { ...submission, iteration: job.iteration },
		isTrial: false,
		attack: null,
		copied: null,
		isKept: true,
		...plan,
		isUnsigned: isCandidate,
		isSigned: isSigned(task, submission),
	});
}

function recordEvaluationFindings(task: TaskStore, { subjectId, fund, round }: JobRow, { used, found, isScored }: AttemptFindings): void {
	const submission = getSubmissionRow(task, subjectId);
	recordFindings(task, submission, found);
	if (round === "final") spendReserved(task, subjectId, sumUsage(used).costMicroUsd ?? 0);
	if (used.length === 0 || isScored || fund !== "agents") return;
	addFailedCost(task, submission.agentId, Math.round((sumUsage(used).costMicroUsd ?? 0) * readShare(task)));
}

function openTrial(task: TaskStore, job: JobRow): JobMaterial | null {
	const found = readTask(task);
	const trial = task.db.select().from(trials).where(eq(trials.id, job.subjectId)).get();
	if (trial === undefined) return null;
	if (trial.kind === "judge_check" && found.status === "closed") {
		cancelTrial(task, trial.id);
		return null;
	}
	if (MODES[found.evalMode].isExternal) {
		recordTrialFailure(task, trial.id, recordOf(becameExternal()));
		return null;
	}
	// Graders download the files by the id of the trial.
	if (trial.kind === "judge_check" && MODES[found.evalMode].usesImage && job.attempts === 1) task.markLocated(trial.id);
	const { id, artifactKey, artifactSha256, missingSections } = trial;
	return materialOf(task, job, {
		submission: { id, agentId: found.companyId, artifactKey, artifactSha256, missingSections, iteration: 1 },
		isTrial: true,
		attack: trial.kind === "judge_check" ? trial.name : null,
		copied: trial.referenceId === null ? null : findCopied(task, trial.referenceId),
		isKept: trial.kind === "dry_run" && (trial.reference || found.status === "draft"),
		// One sample is enough for a case, whose score need not be exact.
		samples: trial.kind === "judge_check" ? 1 : null,
		isFurther: false,
		isUnsigned: true,
		isSigned: true,
	});
}

function findCopied(task: TaskStore, referenceId: string): ReferenceFiles | null {
	const reference = readReferences(task).find(({ id }) => id === referenceId);
	if (reference === undefined) return null;
	const { artifactKey, artifactSha256, missingSections } = reference;
	return { artifactKey, artifactSha256, missingSections };
}

/** A draft can change while its files wait. */
function becameExternal(): EvaluationFault {
	const message = "The task is judged by your own service now, so nothing was judged here.";
	return new EvaluationFault(message, { blame: "submission", isRetryable: false });
}

function recordTrialFindings(task: TaskStore, { kind, subjectId }: JobRow, { used, found }: AttemptFindings): void {
	if (found.packed !== undefined) task.db.update(trials).set(found.packed).where(eq(trials.id, subjectId)).run();
	if (kind === "dry_run") for (const part of used) addDryRunUsage(task, { holder: subjectId, model: part.model }, part);
}
