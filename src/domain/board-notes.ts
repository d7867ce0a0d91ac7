// Notes about the order of a leaderboard, for public pages and the console.

interface RankedEntry {
	readonly rank: number;
	readonly rankLow: number;
	readonly rankHigh: number;
}

/**
 * Returns true if the judge's noise leaves more than one rank possible. Otherwise, callers show no range, because a range of only one rank
 * would look more certain than it is.
 */
export function isRankOpen({ rank, rankLow, rankHigh }: RankedEntry): boolean {
	return rankLow !== rank || rankHigh !== rank;
}

/** Explains the order of equal scores and the rank ranges, if the entries have any. */
export function notesOf(entries: readonly (RankedEntry & { readonly finalScore: number })[]): readonly string[] {
	const hasTies = new Set(entries.map(({ finalScore }) => finalScore)).size < entries.length;
	return [
		...(hasTies ? ["If scores are equal, the earlier submission ranks first."] : []),
		...(entries.some(isRankOpen)
			? [
					"Rank ranges are predictions with 95 % confidence, based on the noise that this platform assumes for its judge (the setting JUDGE_NOISE).",
				]
			: []),
	];
}
