// This rule of the lint compares criteria: nearly equal texts count the same thing twice.
import type { ReadCriterion } from "./text.ts";
import { FILLERS } from "./vocabulary.ts";

/** This is the share of content words in common, when only one text has words that the other lacks. */
const SIMILAR = 0.8;
/** This is the share when both have such words. They are often parallels, such as one criterion for each bank. */
const NEARLY_EQUAL = 0.92;
const MIN_WORDS = 3;

/** Finds the name of the earlier criterion that one nearly repeats, or null. */
export function findDuplicated(criterion: ReadCriterion, earlier: readonly ReadCriterion[]): string | null {
	return earlier.find((other) => isNearlyEqual(comparedWords(criterion), comparedWords(other)))?.name ?? null;
}

const known = new WeakMap<ReadCriterion, ReadonlySet<string>>();

/** Lists the words of a description, and of the name as well where the description says little. */
function comparedWords(criterion: ReadCriterion): ReadonlySet<string> {
	const found = known.get(criterion);
	if (found !== undefined) return found;
	const { nameWords, descriptionWords } = criterion;
	const content = descriptionWords.filter((word) => !FILLERS.has(word));
	const words = new Set(content.length >= MIN_WORDS ? content : [...nameWords, ...content].filter((word) => !FILLERS.has(word)));
	known.set(criterion, words);
	return words;
}

function isNearlyEqual(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
	const [smaller, larger] = words.size < others.size ? [words, others] : [others, words];
	if (smaller.size === 0 || smaller.size < larger.size * SIMILAR) return false;
	const extra = [...words.symmetricDifference(others)];
	// Two criteria that differ in a number, such as a size or a status code, ask for two things.
	if (extra.some((word) => /\d/.test(word))) return false;
	const shared = (words.size + others.size - extra.length) / 2;
	const isOneSided = shared === smaller.size;
	return shared / (shared + extra.length) >= (isOneSided ? SIMILAR : NEARLY_EQUAL);
}
