// Converts the caller's attempts on a task to points over time.

interface Attempt {
	readonly created_at: string;
	readonly scores: { readonly final_score: number } | null;
}

/** Returns the scored attempts as chart points, oldest first. */
export function attemptsOf(submissions: readonly Attempt[]): { at: number; value: number }[] {
	return submissions
		.flatMap(({ created_at, scores }) => (scores === null ? [] : [{ at: Date.parse(created_at), value: scores.final_score }]))
		.toSorted((a, b) => a.at - b.at);
}
