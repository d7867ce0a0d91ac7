/** A judge's identity says who judged, and how. Only scores of the same judge, models and prompt version can be compared. */
export interface JudgeIdentity {
	readonly judge: string;
	readonly models: readonly string[];
	readonly promptVersion: string | null;
}

/** Writes an identity as one text, so that a unique index can compare it. */
export function judgeFingerprint({ judge, models, promptVersion }: JudgeIdentity): string {
	return JSON.stringify([judge, models, promptVersion]);
}
