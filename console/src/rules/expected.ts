// Reads the scores that a poster expects of a dry run.

/** Returns the expected scores by criterion, without empty fields. Returns null if one is not a score from 0 to 100. */
export function parseExpected(typed: Readonly<Record<string, string>>): Readonly<Record<string, number>> | null {
	const filled = Object.entries(typed).filter(([, text]) => text.trim() !== "");
	const scores = filled.map(([name, text]) => [name, parseScore(text)] as const);
	return scores.some(([, score]) => score === null) ? null : Object.fromEntries(scores.map(([name, score]) => [name, score ?? 0]));
}

/** Parses a score from 0 to 100 with up to two decimals. Returns null for anything else. */
export function parseScore(text: string): number | null {
	if (!/^\s*\d{1,3}(\.\d{1,2})?\s*$/.test(text)) return null;
	const score = Number(text);
	return score <= 100 ? score : null;
}
