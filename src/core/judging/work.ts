// The input and outcome of every mode. The loop uses only this interface.
import type { JobRow } from "../../db/task/schema/judging.ts";
import type { SubmissionRow } from "../../db/task/schema/submissions.ts";
import type { CriterionRow, TaskRow } from "../../db/task/schema/task.ts";
import type { Deps } from "../../ports/deps.ts";
import type { TaskBrief } from "../../ports/judge.ts";
import type { EvaluationResult } from "../../ports/judgement.ts";
import type { ModelUsage } from "./usage-meter.ts";

export interface EvaluationWork {
	readonly task: EvaluationTask;
	readonly criteria: readonly EvaluationCriterion[];
	readonly submission: JudgedSubmission;
	readonly job: EvaluationJob;
	readonly record: EvaluationRecord;
	/** True for a trial, which is not in the table of submissions. */
	readonly isTrial?: boolean;
	/** The number of samples per criterion. The default depends on the round and on the poster. */
	readonly samples?: number;
	/** True if the image has already graded the work, and these are further samples. Only the judge runs. */
	readonly isFurther?: boolean;
	/**
	 * With two stages, a submission with a lower final score keeps the cheap model's score. Null if all submissions go to the second stage.
	 */
	readonly reach?: number | null;
}

/** The columns of a task that modes may read. */
export type EvaluationTask = Pick<
	TaskRow,
	| "id"
	| "companyId"
	| "isPosterVerified"
	| "status"
	| "isTest"
	| "clockOffsetMs"
	| "title"
	| "description"
	| "inputSpec"
	| "outputSpec"
	| "budgetCents"
	| "evalMode"
	| "evalImage"
	| "evalImageDigest"
	| "evalNetwork"
	| "evalMemoryMb"
	| "evalTimeoutSeconds"
	| "evalCallbackUrl"
	| "evalCallbackTokenEncrypted"
	| "testSuiteKey"
	| "testSuiteCases"
	| "testSuitePublicCases"
	| "rubricVersion"
	| "taskSha256"
	| "testWeight"
	| "llmWeight"
>;

export type EvaluationCriterion = Pick<
	CriterionRow,
	"name" | "description" | "weight" | "position" | "evidence" | "checks" | "wholeChecks"
>;

/** The columns of the judged submission or trial that modes may read. */
export type EvaluationSubmission = Pick<
	SubmissionRow,
	"id" | "agentId" | "artifactKey" | "artifactSha256" | "missingSections" | "iteration"
>;

/** Modes only judge submissions that have files. */
export interface JudgedSubmission extends EvaluationSubmission {
	readonly artifactKey: string;
}

/** Lets a mode record what must outlive its consumer, and ask whether it may spend more. */
export interface EvaluationRecord {
	/**
	 * Records a run before it is requested, so that it can be stopped after a crash.
	 *
	 * @param run The number within the job, from 1.
	 * @throws if the job has ended or another consumer has taken it over, because then the run is not needed.
	 */
	recordRun(run: number): Promise<void>;
	/** Stops the runs of the job up to this one. If that fails, they are stopped when the job ends. */
	stopRuns(upTo: number): Promise<void>;
	/** Pins the task's image, if it is not pinned yet. Parallel runs get the same digest. Returns the pinned digest. */
	pinImage(digest: string): Promise<string | null>;
	/** Returns the text attachments that the judge reads: those with which the task was published. */
	readAttachments(): Promise<TaskBrief["attachments"]>;
	/** Returns the key of an object that is deleted when the job ends. */
	keyOf(object: "unfinished" | "graded"): string;
	/**
	 * Reserves the expected cost of the attempt before its first call to a model, once per attempt.
	 *
	 * @throws EvaluationFault if a ceiling is reached. The fault says what the evaluation waits for, or why it ends.
	 */
	reserve(estimate: CostEstimate): Promise<void>;
	/** Counts the usage of calls, even if the attempt fails. */
	recordUsage(used: readonly ModelUsage[]): void;
}

export interface CostEstimate {
	/** The expected cost of the attempt, in millionths of a US dollar. */
	readonly microUsd: number;
	/** The number of criteria that the judge scores. */
	readonly criteria: number;
	/** The number of checks in the rubric. */
	readonly checks: number;
}

/** The part of a result that the poster's image contributes. */
export type Grading = Pick<
	EvaluationResult,
	"testScore" | "containerScore" | "dimensions" | "reasoning" | "breakdown" | "ownerBreakdown" | "imageDigest"
>;

/** The scores, or when to check the job again because a judge or grader is still working. Waiting does not count as an attempt. */
export type ModeOutcome =
	| { readonly kind: "scored"; readonly result: EvaluationResult }
	| {
			readonly kind: "waiting";
			/** Milliseconds since the epoch. */
			readonly visitAgainAt: number;
			/** The value of `job.progress` for the next attempt. */
			readonly progress: unknown;
			/** What the error message says if the time limit is exceeded. */
			readonly fault?: string;
			/** Set if the grader cannot be reached or has no room, which `fault` then describes. Otherwise a judge or grader is working. */
			readonly waitsFor?: "grader";
			/** The grader's own words, for operators. */
			readonly supplierWords?: string | null;
	  };

/** The parts of its job that a mode may read. */
export interface EvaluationJob extends Pick<JobRow, "id" | "progress" | "giveUpAt" | "round" | "attempts" | "requestId" | "waitedMs"> {
	/** The origin of the request that published the task. Empty if unknown. */
	readonly origin: string;
}

/** Returns the origin of the URLs that a judge or grader gets. A job from before `PUBLIC_URL` was set may have another origin. */
export function originFor({ config }: Deps, { origin }: EvaluationJob): string {
	return config.publicUrl ?? origin;
}
