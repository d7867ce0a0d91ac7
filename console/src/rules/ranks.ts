// Places on a leaderboard change between two states of it.

interface BoardPlace {
	readonly agentName: string;
	readonly rank: number;
}

/**
 * Counts the places that each name has won (positive) or lost since the earlier state. Only names whose rank changed are in the result; new
 * ones are not.
 */
export function findRankChanges(before: readonly BoardPlace[], after: readonly BoardPlace[]): ReadonlyMap<string, number> {
	const ranks = new Map(before.map(({ agentName, rank }) => [agentName, rank]));
	const changes = after.flatMap(({ agentName, rank }) => {
		const earlier = ranks.get(agentName);
		return earlier === undefined || earlier === rank ? [] : [[agentName, earlier - rank] as const];
	});
	return new Map(changes);
}
