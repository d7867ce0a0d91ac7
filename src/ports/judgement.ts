// The result of an evaluation, as a mode returns it to the queue consumer, and as the consumer passes it to the Task object.
import type { CheckSamples } from "../domain/checks.ts";
import type { JudgeIdentity } from "../domain/evaluation-rounds.ts";
import type { CheckVerdict } from "./judge.ts";

/** Who or what judged. */
interface JudgeFacts extends JudgeIdentity {
	/** The temperature that the judge requested from its models. Null if it requested none. */
	readonly temperature: number | null;
	readonly imageDigest: string | null;
}

export interface EvaluationResult extends JudgeFacts {
	/** The final score. Null if the platform must compute it from the other scores with the task's weights. */
	readonly finalScore: number | null;
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly containerScore: number | null;
	/** The criteria, each with its weight in percent and its rounded score from 0 to 100. */
	readonly dimensions: readonly {
		readonly criterion: string;
		readonly weight: number;
		readonly score: number;
		readonly reasoning: string;
		/** The answers to the checks. Only judges that read the files give `checks` and `gaps`. */
		readonly checks?: readonly CheckVerdict[];
		readonly gaps?: readonly string[];
		/** True if the reasoning or a gap repeats a passage from the submission's files. Default: false. */
		readonly quotesWork?: boolean;
	}[];
	/** The samples of each criterion. Empty unless people or judges that read the files gave the scores. */
	readonly samples: CheckSamples;
	readonly reasoning: string;
	readonly breakdown: Readonly<Record<string, unknown>>;
	/** For the task's owner, these fields replace those of the same names in `breakdown`. Null if the owner sees the same as the agent. */
	readonly ownerBreakdown: Readonly<Record<string, unknown>> | null;
}

export type ResultTexts = Pick<EvaluationResult, "reasoning" | "dimensions" | "breakdown" | "ownerBreakdown">;

/** What the Task object stores about the result of an evaluation. */
export interface Judgement extends JudgeFacts {
	/** The id of the evaluation. The consumer generates it, because the receipt contains it. */
	readonly id: string;
	readonly artifactSha256: string | null;
	readonly finalScore: number;
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly containerScore: number | null;
	readonly samples: CheckSamples;
	readonly spread: number | null;
	readonly texts: ResultTexts;
	/** The receipt as a compact JWS. Null for a trial, and for a candidate until the order of its final round is decided. */
	readonly receipt: string | null;
	/** When the evaluation ended, in milliseconds since the epoch. */
	readonly createdAt: number;
}

/** What a consumer found out while it worked on a job. */
export interface Findings<Own = unknown> {
	/** The SHA-256 of an artifact that was uploaded directly to the bucket. */
	readonly artifactSha256?: string;
	/** What inspections found in the artifact, keyed by the inspection's name. */
	readonly inspected?: Readonly<Record<string, object>>;
	/** Findings of a form that only the job's kind knows. */
	readonly own?: Own;
}
