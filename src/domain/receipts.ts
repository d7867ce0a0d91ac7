import type { CheckSamples } from "./checks.ts";
import type { EvaluationRound } from "./evaluation-rounds.ts";

/** The header parameter `typ` of a receipt, which distinguishes it from all other tokens. */
export const RECEIPT_TYPE = "receipt+jwt";

export interface ReceiptClaims {
	readonly submission_id: string;
	readonly task_id: string;
	/** The digest of everything that the judge saw of the task, which was fixed when the task was published. */
	readonly task_sha256: string;
	readonly evaluation_id: string;
	readonly round: EvaluationRound;
	/** The hash in hex. Null for a score that was posted before there was an artifact. */
	readonly artifact_sha256: string | null;
	/** The SHA-256 in hex of the judged criteria as a canonical rubric (`task-digest.ts`). */
	readonly rubric_sha256: string;
	/** The weight of each criterion in percent, keyed by criterion name. */
	readonly weights: Readonly<Record<string, number>>;
	/** The weights of both parts in percent of the final score. */
	readonly mode_weights: { readonly test: number; readonly llm: number };
	readonly judge: string;
	readonly models: readonly string[];
	/** The model that confirmed the quotes. Null if none did, or if each of several models confirmed its own quotes. */
	readonly confirmed_by: string | null;
	readonly prompt_version: string | null;
	/** The temperature that the judge requested from its models. Null if it requested none. */
	readonly temperature: number | null;
	readonly image_digest: string | null;
	readonly samples: CheckSamples;
	/** Scores from 0 to 100. Null for a part that the evaluation does not have. */
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
	/** Only in receipts of test tasks. */
	readonly test?: true;
}
