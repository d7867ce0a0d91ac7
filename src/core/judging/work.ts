// Every mode has this input and this outcome. The loop uses only this interface.
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
	/** True for a trial, whose id is not in the table of submissions. */
	readonly isTrial?: boolean;
	/** Each criterion gets this many samples. The default depends on the round and on the poster. */
	readonly samples?: number;
	/** The samples are further ones of a work that its image has graded already, so only the judge is asked. */
	readonly isFurther?: boolean;
	/** With two stages, a work below this final score stays with the cheap model's score. Null if all works go to the second stage. */
	readonly reach?: number | null;
}

/** Modes know this of a task. */
export type EvaluationTask = Pick<
	TaskRow,
	| "id"
	| "companyId"
	| "isPosterVerified"
	| "status"
	| "isTest"
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

/** Modes know this of the submission or trial that they judge. */
export type EvaluationSubmission = Pick<
	SubmissionRow,
	"id" | "agentId" | "artifactKey" | "artifactSha256" | "missingSections" | "iteration"
>;

/** A mode judges only a submission that has files. */
export interface JudgedSubmission extends EvaluationSubmission {
	readonly artifactKey: string;
}

/** With this, a mode records what must survive its consumer, and asks whether it may spend more. */
export interface EvaluationRecord {
	/**
	 * Records a run before it is requested, so that it can be stopped after a crash.
	 *
	 * @param run The number within the job, from 1.
	 * @throws when the job has ended or another consumer has it, so that the run is not needed.
	 */
	recordRun(run: number): Promise<void>;
	/** Stops the runs of the job up to this one. What fails is repeated when the job ends. */
	stopRuns(upTo: number): Promise<void>;
	/** Pins the task's image, unless it is pinned. Parallel runs agree. Returns the pinned digest. */
	pinImage(digest: string): Promise<string | null>;
	/** Returns the text attachments that the judge reads: those that the task was published with. */
	readAttachments(): Promise<TaskBrief["attachments"]>;
	/** Returns the key of an object that is needed until the job ends. */
	keyOf(object: "unfinished" | "graded"): string;
	/**
	 * Reserves the expected cost of the attempt before its first call to a model. An attempt reserves once.
	 *
	 * @throws EvaluationFault if a ceiling is reached. The fault says what the evaluation waits for, or that it ends.
	 */
	reserve(estimate: CostEstimate): Promise<void>;
	/** Counts what calls have used, including those of an attempt that failed. */
	recordUsage(used: readonly ModelUsage[]): void;
}

export interface CostEstimate {
	/** The attempt is expected to cost this, in millionths of a US dollar. */
	readonly microUsd: number;
	/** The judge scores this many criteria. */
	readonly criteria: number;
	/** The rubric has this many checks. */
	readonly checks: number;
}

/** The poster's image contributes this part of a result. */
export type Grading = Pick<
	EvaluationResult,
	"testScore" | "containerScore" | "dimensions" | "reasoning" | "breakdown" | "ownerBreakdown" | "imageDigest"
>;

/** The outcome has the scores, or says when to visit the job again because a judge or grader is still at work. Waiting costs no attempt. */
export type ModeOutcome =
	| { readonly kind: "scored"; readonly result: EvaluationResult }
	| {
			readonly kind: "waiting";
			/** The time is in milliseconds since the epoch. */
			readonly visitAgainAt: number;
			/** The next visit finds this value in `job.progress`. */
			readonly progress: unknown;
			/** If the time limit is exceeded, the message names this fault. */
			readonly fault?: string;
			/** The grader cannot be asked or has no room, and `fault` says so. Without it, something is at work. */
			readonly waitsFor?: "grader";
			/** Operators read what the grader said. */
			readonly supplierWords?: string | null;
	  };

/** A mode may know this of the job it works on. */
export interface EvaluationJob extends Pick<JobRow, "id" | "progress" | "giveUpAt" | "round" | "attempts" | "requestId" | "waitedMs"> {
	/** The origin of the request that published the task. It is empty where none was known. */
	readonly origin: string;
}

/** Returns the origin of URLs that a judge or grader gets. A job that was recorded before `PUBLIC_URL` was set may have another one. */
export function originFor({ config }: Deps, { origin }: EvaluationJob): string {
	return config.publicUrl ?? origin;
}
