// What a mode of judging gets and what it gives back: between the service, which knows no mode, and the modes.
import type { CriterionRow, SubmissionForEvaluation, TaskForEvaluation } from "./store.ts";

export interface EvaluationWork {
	readonly task: TaskForEvaluation;
	readonly criteria: readonly CriterionRow[];
	readonly submission: SubmissionForEvaluation;
}

export interface EvaluationResult {
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly containerScore: number | null;
	/** Scores 0..100 by criterion, rounded. */
	readonly dimensions: readonly { criterion: string; weight: number; score: number; reasoning: string }[];
	readonly reasoning: string;
	readonly breakdown: Readonly<Record<string, unknown>>;
	readonly judge: string;
	readonly models: readonly string[];
	readonly promptVersion: string | null;
	readonly imageDigest: string | null;
}
