// What a consumer passes to the Task object: the result of a mode, and what the object stores of it.
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
	/** Null if it is computed from the parts with the task's weights. */
	readonly finalScore: number | null;
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly containerScore: number | null;
	/** Rounded scores from 0 to 100, by criterion. */
	readonly dimensions: readonly {
		readonly criterion: string;
		readonly weight: number;
		readonly score: number;
		readonly reasoning: string;
		/** Only judges that read the files answer checks and name gaps. */
		readonly checks?: readonly CheckVerdict[];
		readonly gaps?: readonly string[];
		/** True if the reasoning or the gaps repeat a passage of the files. Default: false. */
		readonly quotesWork?: boolean;
	}[];
	/** The samples of each criterion's score. Only people and judges that read the files give samples. */
	readonly samples: CheckSamples;
	readonly reasoning: string;
	readonly breakdown: Readonly<Record<string, unknown>>;
	/** Fields that replace the breakdown's fields of the same names for the task's owner. Null if the owner sees the same as the agent. */
	readonly ownerBreakdown: Readonly<Record<string, unknown>> | null;
}

export type ResultTexts = Pick<EvaluationResult, "reasoning" | "dimensions" | "breakdown" | "ownerBreakdown">;

/** What the Task object records of a result: scores, spread and, for a submission, the receipt. */
export interface Judgement extends JudgeFacts {
	/** The consumer generates the id, because the receipt contains it. */
	readonly id: string;
	readonly artifactSha256: string | null;
	readonly finalScore: number;
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly containerScore: number | null;
	readonly samples: CheckSamples;
	readonly spread: number | null;
	readonly texts: ResultTexts;
	/** A compact JWS. Null for a trial, and for a candidate until the order of its final round is decided. */
	readonly receipt: string | null;
	/** Milliseconds since the epoch. */
	readonly createdAt: number;
}

/** What a consumer found out about a job. */
export interface Findings<Own = unknown> {
	/** The hash of an artifact that was uploaded directly to the bucket. */
	readonly artifactSha256?: string;
	/** What inspections found in the artifact, by their names. */
	readonly inspected?: Readonly<Record<string, object>>;
	/** Only the job's kind knows what this contains. */
	readonly own?: Own;
}
