/** Why an evaluation was made: for a new artifact, because its agent or its owner asked again, or to confirm a score after the task's end. */
export const EVALUATION_ROUNDS = ["submission", "re_evaluation", "final"] as const;

export type EvaluationRound = (typeof EVALUATION_ROUNDS)[number];

/** What may prove a high level of a criterion: files of the work only, or documents about it as well. */
export const EVIDENCE_KINDS = ["work", "any"] as const;

export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** What one sample of one criterion was worth, as it is stored with an evaluation. */
export interface SampleRecord {
	/** The judge's name where no model was asked. */
	readonly model: string;
	/** 0..5; null from a judge that gives no levels. */
	readonly level: number | null;
	/** 0..100. */
	readonly score: number;
}

/** Samples by name of the criterion. */
export type SampleRecords = Readonly<Record<string, readonly SampleRecord[]>>;
