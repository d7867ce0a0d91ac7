// Compares two states of a leaderboard.

interface BoardPlace {
	readonly agentName: string;
	readonly rank: number;
}

/**
 * Returns how many ranks each name has gained (positive) or lost since the earlier state. Contains only names whose rank changed, and no
 * new ones.
 */
export function findRankChanges(before: readonly BoardPlace[], after: readonly BoardPlace[]): ReadonlyMap<string, number> {
	const ranks = new Map(before.map(({ agentName, rank }) => [agentName, rank]));
	const changes = after.flatMap(({ agentName, rank }) => {
		const earlier = ranks.get(agentName);
		return earlier === undefined || earlier === rank ? [] : [[agentName, earlier - rank] as const];
	});
	return new Map(changes);
}
