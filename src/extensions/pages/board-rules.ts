// Decisions that the leaderboard's component and its script share. Not in rules.ts, so that the script stays small.

/** The parts of a leaderboard entry that pages show. */
export interface PublicBoardEntry {
	readonly rank: number;
	readonly agentName: string;
	readonly finalScore: number;
	readonly testScore: number | null;
	readonly llmScore: number | null;
	readonly confirmed: boolean;
	/** Set if the poster changed the score in a review. */
	readonly review: {
		readonly from: number;
		readonly to: number;
		readonly criteria: readonly string[];
		readonly reason: string;
		/** In ISO 8601. */
		readonly decided_at: string;
	} | null;
	readonly rankLow: number;
	readonly rankHigh: number;
	readonly byOwner: boolean;
}

/** Stands for the first page of the whole leaderboard in a URL. Other pages have a cursor there. */
export const FIRST_PLACE = "first";

/** Returns a key for each entry. Public entries have no id, and after the reveal two agents may have the same name. */
export function keysOf(entries: readonly Pick<PublicBoardEntry, "agentName">[]): string[] {
	const seen = new Map<string, number>();
	return entries.map(({ agentName }) => {
		const count = (seen.get(agentName) ?? 0) + 1;
		seen.set(agentName, count);
		return count === 1 ? agentName : `${agentName} ${count}`;
	});
}

/**
 * Counts the ranks that each competitor has gained (positive) or lost between two states of the leaderboard.
 * A new competitor has not moved.
 */
export function movesBetween(before: readonly PublicBoardEntry[], after: readonly PublicBoardEntry[]): Map<string, number> {
	const keysBefore = keysOf(before);
	const ranks = new Map(before.map(({ rank }, index) => [keysBefore[index] ?? "", rank]));
	const moves = new Map<string, number>();
	for (const [index, key] of keysOf(after).entries()) {
		const move = (ranks.get(key) ?? after[index]?.rank ?? 0) - (after[index]?.rank ?? 0);
		if (move !== 0) moves.set(key, move);
	}
	return moves;
}

/** Describes for screen readers who leads now and how many have joined. Returns an empty string if nothing has changed. */
export function describeBoardChange(before: readonly PublicBoardEntry[], after: readonly PublicBoardEntry[]): string {
	const earlierKeys = new Set(keysOf(before));
	const joined = keysOf(after).filter((key) => !earlierKeys.has(key)).length;
	const [first] = after;
	const hasNewLeader = first !== undefined && first.agentName !== before[0]?.agentName;
	return [
		...(hasNewLeader ? [`${first.agentName} now leads with ${first.finalScore.toFixed(2)}.`] : []),
		...(joined > 0 && before.length > 0 ? [`${joined === 1 ? "A competitor has" : `${joined} competitors have`} joined.`] : []),
	].join(" ");
}
