// A consumer hands this to the Task object: what a mode has returned, and what becomes of it.
import type { CheckSamples } from "../domain/checks.ts";
import type { CheckVerdict } from "./judge.ts";

export interface EvaluationResult {
	/** Null where it is computed from the parts with the task's weights. */
	readonly finalScore: number | null;
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly containerScore: number | null;
	/** The scores 0..100 by criterion are rounded. */
	readonly dimensions: readonly {
		readonly criterion: string;
		readonly weight: number;
		readonly score: number;
		readonly reasoning: string;
		/** Only a judge that reads the files answers checks and names gaps. */
		readonly checks?: readonly CheckVerdict[];
		readonly gaps?: readonly string[];
		/** The reasoning or the gaps repeat a passage of the files. Default: false. */
		readonly quotesWork?: boolean;
	}[];
	/** These are the samples of each criterion's score. Only a judge that reads the files and a person have some. */
	readonly samples: CheckSamples;
	readonly reasoning: string;
	readonly breakdown: Readonly<Record<string, unknown>>;
	/** The task's owner sees this instead of the breakdown's fields of the same names. Null if the owner sees the same as the agent. */
	readonly ownerBreakdown: Readonly<Record<string, unknown>> | null;
	readonly judge: string;
	readonly models: readonly string[];
	/** This model confirmed the quotes. Null if none did, or if each of several models confirmed its own. */
	readonly confirmedBy: string | null;
	readonly promptVersion: string | null;
	/** The judge requested this temperature of its models. Null where it requested none. */
	readonly temperature: number | null;
	readonly imageDigest: string | null;
}

export type ResultTexts = Pick<EvaluationResult, "reasoning" | "dimensions" | "breakdown" | "ownerBreakdown">;

/** The Task object records this of a result: scores, spread and, for a submission, the receipt. */
export interface Judgement {
	/** The consumer makes the id, because the receipt contains it. */
	readonly id: string;
	readonly judge: string;
	readonly models: readonly string[];
	readonly confirmedBy: string | null;
	readonly promptVersion: string | null;
	readonly temperature: number | null;
	readonly imageDigest: string | null;
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
	/** In milliseconds since the epoch. */
	readonly createdAt: number;
}

/** A consumer finds this out while it works on a job. */
export interface Findings<Own = unknown> {
	/** An artifact that was uploaded directly to the bucket has this hash. */
	readonly artifactSha256?: string;
	/** Inspections have found this in the artifact, by their names. */
	readonly inspected?: Readonly<Record<string, object>>;
	/** The kind of the job knows what this is. */
	readonly own?: Own;
}
