import type { Anchors } from "./anchors.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { EvaluationRound, SampleRecords } from "./evaluation-rounds.ts";

/** A receipt has this header parameter `typ`, which distinguishes it from every other token. */
export const RECEIPT_TYPE = "receipt+jwt";

/** A receipt signs these claims. Contract: "The record of judging", Receipts. */
export interface ReceiptClaims {
	readonly submission_id: string;
	readonly task_id: string;
	readonly evaluation_id: string;
	readonly round: EvaluationRound;
	/** The hash is in hex, and null for a score that was posted before there was an artifact. */
	readonly artifact_sha256: string | null;
	/** Only the receipt of a shared judgement has this: the hash of the artifact that was judged, which is another submission's. */
	readonly judged_artifact_sha256?: string | null | undefined;
	/** This is the SHA-256 of {@link canonicalRubric} in hex. */
	readonly rubric_sha256: string;
	/** This is the SHA-256 of {@link canonicalChecks} in hex. */
	readonly checks_sha256: string;
	/** Each criterion has its weight in percent under its name. */
	readonly weights: Readonly<Record<string, number>>;
	/** Both parts have their weight in percent of the final score. */
	readonly mode_weights: { readonly test: number; readonly llm: number };
	readonly judge: string;
	readonly models: readonly string[];
	readonly prompt_version: string | null;
	readonly image_digest: string | null;
	readonly samples: SampleRecords;
	/** Scores are 0..100, and null for a part that the evaluation does not have. */
	readonly scores: {
		readonly final: number;
		readonly test: number | null;
		readonly llm: number | null;
		readonly container: number | null;
		/** Each criterion has its score under its name. It is empty if criteria were not scored one by one. */
		readonly criteria: Readonly<Record<string, number>>;
	};
	/** The evaluation was written at this time, in seconds since the epoch. */
	readonly iat: number;
}

/** Writes the text that `rubric_sha256` hashes. It has the criteria in the order of the task's detail, by position and then by name. */
export function canonicalRubric(
	criteria: readonly {
		readonly name: string;
		readonly description: string | null;
		readonly weight: number;
		readonly position: number;
	}[],
): string {
	return canonicalJson(criteria.map(({ name, description, weight, position }) => ({ name, description, weight, position })));
}

/** Writes the text that `checks_sha256` hashes. It has the criteria in the same order. */
export function canonicalChecks(
	criteria: readonly { readonly name: string; readonly checks: readonly string[]; readonly anchors: Anchors | null }[],
): string {
	return canonicalJson(criteria.map(({ name, checks, anchors }) => ({ name, checks, anchors })));
}
