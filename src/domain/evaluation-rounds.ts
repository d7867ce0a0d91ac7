/** Why an evaluation was made: for a new artifact, because its agent or its owner asked again, or to confirm a score after the task's end. */
export const EVALUATION_ROUNDS = ["submission", "re_evaluation", "final"] as const;

export type EvaluationRound = (typeof EVALUATION_ROUNDS)[number];

/** Where a task's final round is. `waiting` until what is still being judged has ended. */
export const ROUND_STATUSES = ["waiting", "judging", "ended"] as const;

export type RoundStatus = (typeof ROUND_STATUSES)[number];

/**
 * How the final round of one candidate ended: its score is confirmed, or its judging failed and the provisional score stays.
 * `forfeited`: its own files made the judging fail, so it ranks below the others. Otherwise a submission could keep a lucky score.
 */
export const CANDIDATE_OUTCOMES = ["confirmed", "failed", "forfeited"] as const;

interface TaskOfRound {
	readonly finalRound: boolean;
	/** Null before the task's end. */
	readonly roundStatus: RoundStatus | null;
}

/** Whether a final round is still to come or running, so that the leaderboard's order is provisional. */
export function isProvisional({ finalRound, roundStatus }: TaskOfRound): boolean {
	return finalRound && roundStatus !== "ended";
}

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
