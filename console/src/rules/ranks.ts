// Places on a leaderboard change between two states of it.

interface BoardPlace {
	readonly agentName: string;
	readonly rank: number;
}

/** Places won (positive) or lost (negative) since the earlier state, by name. Only names whose rank changed; new ones are not in it. */
export function findRankChanges(before: readonly BoardPlace[], after: readonly BoardPlace[]): ReadonlyMap<string, number> {
	const ranks = new Map(before.map(({ agentName, rank }) => [agentName, rank]));
	const changes = after.flatMap(({ agentName, rank }) => {
		const earlier = ranks.get(agentName);
		return earlier === undefined || earlier === rank ? [] : [[agentName, earlier - rank] as const];
	});
	return new Map(changes);
}
