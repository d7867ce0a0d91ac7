// A sentence that lists several demands, separated by commas, is a compound criterion. A list of the cases of one demand is not.
import { wordsOf } from "./text.ts";
import * as vocabulary from "./vocabulary.ts";

const MIN_DEMANDS = 3;
/** Two demands in a list this long have other demands between them. */
const LONG_LIST_ITEMS = 5;
const LONG_LIST_DEMANDS = 2;
const MIN_DEMAND_WORDS = 2;
const MIN_PARTS = 4;
const MAX_PART_WORDS = 4;

/** Returns true if the commas of a sentence separate things that could be met apart. */
export function listsDemands(sentence: string): boolean {
	const items = sentence
		.split(/,(?:\s+and\b)?/i)
		.map(wordsOf)
		.filter((item) => item.length > 0);
	const demands = items.filter(isDemand).length;
	if (demands >= MIN_DEMANDS || (items.length >= LONG_LIST_ITEMS && demands >= LONG_LIST_DEMANDS)) return true;
	const isIntroduced = /^[^,]*:/.test(sentence);
	return demands === 0 && !isIntroduced && isListOfParts(items);
}

/** Returns true for an item that asks for something by itself: "returns null for an empty date", "parseDate exported". */
function isDemand(item: readonly string[]): boolean {
	const [first = "", last = ""] = [item[0], item.at(-1)];
	if (item.length < MIN_DEMAND_WORDS || vocabulary.SUBORDINATORS.has(first)) return false;
	return vocabulary.DEMAND_ENDINGS.has(last) || item.some((_, at) => isVerbOfDemand(item, at));
}

/** In "the test runs of each bank" and "two exports" the word is a noun, because no object follows. */
function isVerbOfDemand(item: readonly string[], at: number): boolean {
	const [before = "", word = "", next] = [item[at - 1], item[at], item[at + 1]];
	// "Sorts it" goes on with the thing of the item before.
	if (next === undefined || vocabulary.OBJECT_PRONOUNS.has(next)) return false;
	if (at === 0) return isOpeningVerb(word, next);
	if (vocabulary.DEMAND_AUXILIARIES.has(word)) return true;
	if (vocabulary.PREPOSITIONS.has(next)) return false;
	return vocabulary.DEMAND_VERBS.has(word) || (before.endsWith("s") && vocabulary.DEMAND_VERBS.has(`${word}s`));
}

function isOpeningVerb(word: string, next: string): boolean {
	if (vocabulary.DEMAND_VERBS.has(word) || vocabulary.IMPERATIVES.has(word)) return next !== "of";
	return vocabulary.DETERMINERS.has(next) && (word.endsWith("s") || vocabulary.DEMAND_VERBS.has(`${word}s`));
}

/**
 * Returns true for phrases that name parts of a work and follow nothing: "responsive layout, keyboard navigation, colour contrast, alt
 * texts". What follows a verb, a preposition or a colon is a detail of one thing. So are words that the vocabulary does not know as parts:
 * "days, hours, minutes".
 */
function isListOfParts(items: readonly (readonly string[])[]): boolean {
	const [first = []] = items;
	if (items.length < MIN_PARTS || items.some(({ length }) => length > MAX_PART_WORDS) || isGoverned(first)) return false;
	return items.filter((item) => vocabulary.PARTS.has(item.at(-1) ?? "")).length * 2 >= items.length;
}

function isGoverned(item: readonly string[]): boolean {
	const [first = "", second] = item;
	if (second !== undefined && /(?:s|ing)$/.test(first)) return true;
	return item.some((word) => vocabulary.PREPOSITIONS.has(word) || vocabulary.DEMAND_VERBS.has(word));
}
