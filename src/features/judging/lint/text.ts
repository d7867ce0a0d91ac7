// Reads criteria as words and sentences. Every pattern here takes steps that grow with the length of the text only.

export interface LintCriterion {
	readonly name: string;
	readonly description: string | null;
	readonly weight: number;
	/** The poster has written down here what the judge looks for. */
	readonly checks?: readonly string[];
}

/** A criterion is split into words and sentences once for all rules. */
export interface CriterionWords extends LintCriterion {
	readonly nameWords: readonly string[];
	readonly descriptionWords: readonly string[];
	/** The description has these sentences. Without a description, the name is the only one. */
	readonly sentences: readonly string[];
}

/** Lists the words of a text. A word has letters and digits, with hyphens and apostrophes inside, in lower case. */
export function wordsOf(text: string): string[] {
	return (
		text
			.toLowerCase()
			.replaceAll("’", "'")
			.match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? []
	);
}

/** Cuts a text at line ends, semicolons and full stops before white space: "3.5" and "README.md" stay whole. */
function sentencesOf(text: string): string[] {
	return text.split(/[\n\r;]|[.!?](?=\s|$)/).filter((sentence) => wordsOf(sentence).length > 0);
}

export function readCriterion(criterion: LintCriterion): CriterionWords {
	const description = criterion.description ?? "";
	const descriptionWords = wordsOf(description);
	return {
		...criterion,
		nameWords: wordsOf(criterion.name),
		descriptionWords,
		sentences: sentencesOf(descriptionWords.length === 0 ? criterion.name : description),
	};
}

/** Returns true if the words of a phrase follow each other at a place. */
export function hasPhraseAt(text: readonly string[], at: number, phrase: readonly string[]): boolean {
	return phrase.every((word, index) => text[at + index] === word);
}
