/** Who judged, and how. Only scores of the same judge, models and prompt version can be compared. */
export interface JudgeIdentity {
	readonly judge: string;
	readonly models: readonly string[];
	readonly promptVersion: string | null;
}

/** One text for each identity, so that a unique index can compare them. */
export function judgeFingerprint({ judge, models, promptVersion }: JudgeIdentity): string {
	return JSON.stringify([judge, models, promptVersion]);
}
