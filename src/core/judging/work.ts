// Defines what every mode gets and returns. The code that runs evaluation jobs knows modes only by these types.
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
	/** True if the evaluation only adds samples to an earlier one. Then only the judge runs, not the poster's image. */
	readonly isFurther?: boolean;
	/** If the final score with the cheap model is lower than this, the main judge is not asked. Null if only the main judge is asked. */
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

/** The columns of a submission or trial that modes may read. */
export type EvaluationSubmission = Pick<
	SubmissionRow,
	"id" | "agentId" | "artifactKey" | "artifactSha256" | "missingSections" | "iteration"
>;

/** A submission that has an artifact. Modes judge no others. */
export interface JudgedSubmission extends EvaluationSubmission {
	readonly artifactKey: string;
}

/** Lets a mode record what must survive the death of its consumer, and ask whether it may spend more. */
export interface EvaluationRecord {
	/**
	 * Records a run before it is requested, so that it can be stopped after a crash.
	 *
	 * @param run The number within the job, from 1.
	 * @throws if the job has ended or another consumer has taken it over, because then the run is not needed.
	 */
	recordRun(run: number): Promise<void>;
	/** Stops the runs of the job up to this number. If that fails, they are stopped when the job ends. */
	stopRuns(upTo: number): Promise<void>;
	/** Pins the digest of the task's image, unless one is already pinned. Returns the pinned digest, which is the same for parallel runs. */
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

/** The scores, or when to check the job again because a grader or the poster's service has not finished. Waiting costs no attempt. */
export type ModeOutcome =
	| { readonly kind: "scored"; readonly result: EvaluationResult }
	| {
			readonly kind: "waiting";
			/** When to check the job again, in milliseconds since the epoch. */
			readonly visitAgainAt: number;
			/** The value of `job.progress` for the next attempt. */
			readonly progress: unknown;
			/** What the error message says if the time limit is exceeded. */
			readonly fault?: string;
			/** Set if the grader cannot be reached, has no room or cannot start a container. `fault` then says which of these. */
			readonly waitsFor?: "grader";
			/** The grader's own words, for operators. */
			readonly supplierWords?: string | null;
	  };

/** The parts of its job that a mode may read. */
export interface EvaluationJob extends Pick<JobRow, "id" | "progress" | "giveUpAt" | "round" | "attempts" | "requestId" | "waitedMs"> {
	/** The origin of the request that published the task. Empty if unknown. */
	readonly origin: string;
}

/** Returns the origin of the URLs that a judge or grader gets: `PUBLIC_URL` if it is set, or else the origin in the job. */
export function originFor({ config }: Deps, { origin }: EvaluationJob): string {
	return config.publicUrl ?? origin;
}
