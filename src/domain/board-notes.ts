// Notes about the order of a leaderboard, shared by public pages and the console.

interface RankedEntry {
	readonly rank: number;
	readonly rankLow: number;
	readonly rankHigh: number;
}

/** Returns true if another rank is possible given the judge's predicted noise. A range of one rank would suggest false certainty. */
export function isRankOpen({ rank, rankLow, rankHigh }: RankedEntry): boolean {
	return rankLow !== rank || rankHigh !== rank;
}

/** Says how equal scores are ordered, and what ranges of ranks rest on, if the entries have any. */
export function notesOf(entries: readonly (RankedEntry & { readonly finalScore: number })[]): readonly string[] {
	const hasTies = new Set(entries.map(({ finalScore }) => finalScore)).size < entries.length;
	return [
		...(hasTies ? ["If scores are equal, the earlier one ranks first."] : []),
		...(entries.some(isRankOpen)
			? [
					"A range of ranks is a prediction with 95 % confidence, from the noise that this platform assumes for its judge (the setting JUDGE_NOISE).",
				]
			: []),
	];
}
