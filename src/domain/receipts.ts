import { canonicalJson } from "./canonical-json.ts";
import type { EvaluationRound, SampleRecords } from "./evaluation-rounds.ts";

/** The header parameter `typ` of a receipt, which keeps it apart from every other token. */
export const RECEIPT_TYPE = "receipt+jwt";

/** What a receipt signs. Contract: "The record of judging", Receipts. */
export interface ReceiptClaims {
	readonly submission_id: string;
	readonly task_id: string;
	readonly evaluation_id: string;
	readonly round: EvaluationRound;
	/** Hex; null for a score that was posted before there was an artifact. */
	readonly artifact_sha256: string | null;
	/** {@link canonicalRubric} as hex SHA-256. */
	readonly rubric_sha256: string;
	/** Percent, by name of the criterion. */
	readonly weights: Readonly<Record<string, number>>;
	/** Percent of the final score. */
	readonly mode_weights: { readonly test: number; readonly llm: number };
	readonly judge: string;
	readonly models: readonly string[];
	readonly prompt_version: string | null;
	readonly image_digest: string | null;
	readonly samples: SampleRecords;
	readonly scores: ReceiptScores;
	/** When the evaluation was written, in seconds since the epoch. */
	readonly iat: number;
}

/** Scores 0..100; null for a part that the evaluation does not have. */
export interface ReceiptScores {
	readonly final: number;
	readonly test: number | null;
	readonly llm: number | null;
	readonly container: number | null;
	/** By name of the criterion. Empty where criteria were not scored one by one. */
	readonly criteria: Readonly<Record<string, number>>;
}

interface RubricCriterion {
	readonly name: string;
	readonly description: string | null;
	readonly weight: number;
	readonly position: number;
}

/** The text that `rubric_sha256` is made from: the criteria in the order of the task's detail, by position and then by name. */
export function canonicalRubric(criteria: readonly RubricCriterion[]): string {
	return canonicalJson(criteria.map(({ name, description, weight, position }) => ({ name, description, weight, position })));
}
