// A consumer hands this to a Task object: the judgement of a submission or a trial, and facts about its files.
import type { SampleRecords } from "../../../domain/evaluation-rounds.ts";
import type { ResultTexts } from "../../evaluation/medians.ts";

export interface Judgement {
	/** Made by the consumer, because the receipt says it. */
	readonly id: string;
	readonly judge: string;
	readonly models: readonly string[];
	readonly promptVersion: string | null;
	readonly imageDigest: string | null;
	readonly artifactSha256: string | null;
	readonly finalScore: number;
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly containerScore: number | null;
	readonly samples: SampleRecords;
	readonly spread: number | null;
	readonly texts: ResultTexts;
	/** A compact JWS; null for a trial. */
	readonly receipt: string | null;
	/** The same judgement of other submissions: candidates of a final round with the same work. */
	readonly shared: readonly SharedEvaluation[];
	/** Milliseconds since the epoch. */
	readonly createdAt: number;
}

/** A candidate of a final round that gets the judgement of another one. */
export interface Sharer {
	readonly submissionId: string;
	readonly artifactSha256: string | null;
}

/** Its evaluation: the judged one's, with an id and a receipt of its own. */
export interface SharedEvaluation {
	readonly id: string;
	readonly submissionId: string;
	readonly receipt: string;
}

/** What a consumer has found out about the files that it judges. */
export interface Findings {
	/** The hash of an artifact that was uploaded directly to the bucket. */
	readonly artifactSha256?: string;
	/** The text of the artifact, as it is compared with others. */
	readonly signature?: { readonly shingles: number; readonly minima: string };
	/** The packed files of a case of the judge check. */
	readonly packed?: { readonly artifactKey: string; readonly artifactSha256: string; readonly missingSections: string[] };
}
