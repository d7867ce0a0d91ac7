import type { CheckSamples } from "./checks.ts";
import type { EvaluationRound } from "./evaluation-rounds.ts";

/** A receipt has this header parameter `typ`, which distinguishes it from every other token. */
export const RECEIPT_TYPE = "receipt+jwt";

/** A receipt signs these claims. */
export interface ReceiptClaims {
	readonly submission_id: string;
	readonly task_id: string;
	/** Everything that the judge saw of the task has this digest, which was fixed at publish. */
	readonly task_sha256: string;
	readonly evaluation_id: string;
	readonly round: EvaluationRound;
	/** The hash is in hex, and null for a score that was posted before there was an artifact. */
	readonly artifact_sha256: string | null;
	/** This is the SHA-256 in hex of the canonical rubric of `task-digest.ts`, of the judged criteria. */
	readonly rubric_sha256: string;
	/** Each criterion has its weight in percent under its name. */
	readonly weights: Readonly<Record<string, number>>;
	/** Both parts have their weight in percent of the final score. */
	readonly mode_weights: { readonly test: number; readonly llm: number };
	readonly judge: string;
	readonly models: readonly string[];
	/** This model confirmed the quotes. Null if none did, or if each of several models confirmed its own. */
	readonly confirmed_by: string | null;
	readonly prompt_version: string | null;
	/** The judge requested this temperature of its models. Null where it requested none. */
	readonly temperature: number | null;
	readonly image_digest: string | null;
	readonly samples: CheckSamples;
	/** Scores are 0..100, and null for a part that the evaluation does not have. */
	readonly scores: {
		readonly final: number;
		readonly test: number | null;
		readonly llm: number | null;
		readonly container: number | null;
		/** Each criterion has its score under its name. Empty if criteria were not scored one by one. */
		readonly criteria: Readonly<Record<string, number>>;
	};
	/** When the evaluation was written, in seconds since the epoch. */
	readonly iat: number;
	/** Only receipts of test tasks have it. */
	readonly test?: true;
}
