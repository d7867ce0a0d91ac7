import type { CheckSamples } from "./checks.ts";
import type { EvaluationRound } from "./evaluation-rounds.ts";

/** The header parameter `typ` of a receipt, which distinguishes it from all other tokens. */
export const RECEIPT_TYPE = "receipt+jwt";

export interface ReceiptClaims {
	readonly submission_id: string;
	readonly task_id: string;
	/** The digest of what the judge sees of the task, computed when the task was published. */
	readonly task_sha256: string;
	readonly evaluation_id: string;
	readonly round: EvaluationRound;
	/** The SHA-256 of the artifact in hex. Null if the poster's service scored a submission without an artifact. */
	readonly artifact_sha256: string | null;
	/** The SHA-256, in hex, of `canonicalRubric` of the judged criteria (`task-digest.ts`). */
	readonly rubric_sha256: string;
	/** The weight of each criterion in percent, keyed by criterion name. */
	readonly weights: Readonly<Record<string, number>>;
	/** The weights of the two parts of the final score, in percent. */
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
		/** The scores of the criteria, keyed by criterion name. Empty if the judge gave none. */
		readonly criteria: Readonly<Record<string, number>>;
	};
	/** When the evaluation was recorded, in seconds since the epoch. */
	readonly iat: number;
	/** True in receipts of test tasks, absent in all others. */
	readonly test?: true;
}
