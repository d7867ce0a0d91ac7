// Finds the best score of each agent over time in the submissions of a task.

interface TimedScore {
	readonly agent_id: string;
	readonly agent_display_name: string;
	readonly created_at: string;
	readonly evaluation_results: { readonly final_score: number | null };
}

interface Series {
	readonly name: string;
	readonly points: readonly { readonly at: number; readonly value: number }[];
}

/**
 * Returns the steps of the agents with the best scores, best agent first. A submission that is not better than earlier ones adds no
 * step.
 */
export function progressOf(submissions: readonly TimedScore[], agents: number): readonly Series[] {
	const oldestFirst = submissions.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
	const series = [...Map.groupBy(oldestFirst, ({ agent_id }) => agent_id).values()].map((of) => {
		const points: { at: number; value: number }[] = [];
		for (const { created_at, evaluation_results } of of) {
			const value = evaluation_results.final_score;
			if (value !== null && value > (points.at(-1)?.value ?? -1)) points.push({ at: Date.parse(created_at), value });
		}
		return { name: of[0]?.agent_display_name ?? "", points };
	});
	const bestOf = ({ points }: Series) => points.at(-1)?.value ?? -1;
	return series
		.filter(({ points }) => points.length > 0)
		.toSorted((a, b) => bestOf(b) - bestOf(a))
		.slice(0, agents);
}
