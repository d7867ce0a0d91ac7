// Two judges that understand nothing: one counts the words of the checks, the other the amount of text.
// If they can order a set of cases, the set says nothing about a model.
import type { LabelledCase } from "./labelled-works.ts";

/** Shorter words occur in every text. */
const LEAST_LETTERS = 4;

function wordsIn(text: string): Set<string> {
	return new Set((text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter(({ length }) => length >= LEAST_LETTERS));
}

const textOf = ({ files }: LabelledCase) => files.map(({ path, text }) => `${path}\n${text}`).join("\n");

/** Returns a score from 0 to 100: the share of each check's words that occur anywhere in the files, by the weights. */
export function countWords(work: LabelledCase): number {
	const known = wordsIn(textOf(work));
	const shareOf = (check: string) => {
		const words = [...wordsIn(check)];
		return words.filter((word) => known.has(word)).length / Math.max(1, words.length);
	};
	return work.criteria.reduce((sum, { weight, checks }) => {
		return sum + (weight * checks.reduce((inner, check) => inner + shareOf(check), 0)) / checks.length;
	}, 0);
}

/** Returns the number of characters in all files. */
export function countText(work: LabelledCase): number {
	return textOf(work).length;
}
