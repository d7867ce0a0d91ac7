// The input and the outcome of every mode: the interface between the modes and service.ts, which knows none of them.
import type { SampleRecords } from "../../domain/evaluation-rounds.ts";
import type { Deps } from "../../ports/deps.ts";
import type { CriterionRow, JobRow, SubmissionForEvaluation, TaskForEvaluation } from "./store.ts";

export interface EvaluationWork {
	readonly task: TaskForEvaluation;
	readonly criteria: readonly CriterionRow[];
	readonly submission: JudgedSubmission;
	readonly job: JudgingJob;
	/** The submission is a trial: its id is not in the table of submissions. */
	readonly isTrial?: boolean;
	/** Samples per criterion. Default: as many as the task's budget warrants. */
	readonly samples?: number;
}

/** What modes know of what they judge. */
export type JudgedSubmission = Pick<
	SubmissionForEvaluation,
	"id" | "agentId" | "artifactKey" | "artifactSha256" | "missingSections" | "iteration"
>;

export interface EvaluationResult {
	/** Null where it is computed from the parts with the task's weights. */
	readonly finalScore: number | null;
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly containerScore: number | null;
	/** Scores 0..100 by criterion, rounded. */
	readonly dimensions: readonly { criterion: string; weight: number; score: number; reasoning: string }[];
	/** The samples of each criterion's score; empty for an outside judge. */
	readonly samples: SampleRecords;
	readonly reasoning: string;
	readonly breakdown: Readonly<Record<string, unknown>>;
	/** What the task's owner sees in place of the breakdown's fields of the same names; null when the owner sees the same as the agent. */
	readonly ownerBreakdown: Readonly<Record<string, unknown>> | null;
	readonly judge: string;
	readonly models: readonly string[];
	readonly promptVersion: string | null;
	readonly imageDigest: string | null;
}

/** The part of an evaluation that comes from the poster's image. */
export type Grading = Pick<
	EvaluationResult,
	"testScore" | "containerScore" | "dimensions" | "reasoning" | "breakdown" | "ownerBreakdown" | "imageDigest"
>;

/** The scores, or when to visit the job again because a judge or grader is still at work. Waiting costs no attempt. */
export type ModeOutcome =
	| { readonly kind: "scored"; readonly result: EvaluationResult }
	| {
			readonly kind: "waiting";
			/** Milliseconds since the epoch. */
			readonly visitAgainAt: number;
			/** The value of `job.progress` at the next visit. */
			readonly progress: unknown;
			/** What went wrong so far, for the message when the time limit is exceeded. */
			readonly fault?: string;
	  };

/** What a mode may know of the job it works on. */
export type JudgingJob = Pick<JobRow, "id" | "origin" | "progress" | "giveUpAt" | "round" | "attempts">;

/** The origin of URLs that a judge or grader gets. A job that was recorded before `PUBLIC_URL` was set may have another one. */
export function originFor({ config }: Deps, { origin }: JudgingJob): string {
	return config.publicUrl ?? origin;
}
