// These rules of the lint look at one criterion. Each says whether its code applies.
import { type CriterionWords, hasPhraseAt, wordsOf } from "./text.ts";
import * as vocabulary from "./vocabulary.ts";
import { FILLERS } from "./vocabulary.ts";

// A sentence that lists several demands, separated by commas, is a compound criterion. A list of the cases of one demand is not.

const MIN_DEMANDS = 3;
/** Two demands in a list this long have other demands between them. */
const LONG_LIST_ITEMS = 5;
const LONG_LIST_DEMANDS = 2;
const MIN_DEMAND_WORDS = 2;
const MIN_PARTS = 4;
const MAX_PART_WORDS = 4;

/** Returns true if the commas of a sentence separate things that could be met apart. */
function listsDemands(sentence: string): boolean {
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

const MIN_WEIGHT = 1;

export function hasNoDescription({ descriptionWords }: CriterionWords): boolean {
	return descriptionWords.length === 0;
}

export function hasTinyWeight({ weight }: CriterionWords): boolean {
	return weight < MIN_WEIGHT;
}

/** A name with more content words than this says what to look for, even when the description does not. */
const MAX_TOPIC_WORDS = 2;

/** Returns true if a criterion only praises, and names nothing that a judge could find. A name by itself is a topic, not a demand. */
export function isVague({ nameWords, descriptionWords }: CriterionWords): boolean {
	const nameContent = contentOf(nameWords);
	if (descriptionWords.length === 0) return isPraise(nameWords) && nameContent.length === 0 && nameWords.length > 1;
	return isPraise(descriptionWords) && contentOf(descriptionWords).length === 0 && nameContent.length <= MAX_TOPIC_WORDS;
}

function isPraise(text: readonly string[]): boolean {
	return text.some((word) => vocabulary.PRAISE.has(word));
}

/** Returns the text without fillers, praise, and words for the work as a whole. */
function contentOf(text: readonly string[]): string[] {
	return text.filter((word) => ![vocabulary.FILLERS, vocabulary.PRAISE, vocabulary.GENERIC_NOUNS].some((list) => list.has(word)));
}

const MIN_LIST_ITEMS = 2;
/** Shorter items are the details of one thing: "- quotes", "- empty fields". */
const MIN_ITEM_WORDS = 4;
const LIST_ITEM = /^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]/;

/** Returns true if a criterion asks for two or more things that could be met apart. */
export function isCompound({ description, sentences, nameWords, descriptionWords }: CriterionWords): boolean {
	const items = (description ?? "").split(/[\n\r]/).filter((line) => LIST_ITEM.test(line) && wordsOf(line).length >= MIN_ITEM_WORDS);
	if (items.length >= MIN_LIST_ITEMS) return true;
	if (descriptionWords.length === 0 && joinsAspects([nameWords])) return true;
	return sentences.some((sentence) => {
		const text = wordsOf(sentence);
		return joinsClauses(text) || repeatsModal(text) || joinsAspects(partsOf(sentence)) || listsDemands(sentence);
	});
}

/**
 * Finds a conjunction that joins clauses. A clause such as "and the tests pass" has its own subject, and at most two words later its
 * verb.
 */
function joinsClauses(text: readonly string[]): boolean {
	return text.some((word, at) => {
		if (word !== "and" || at === 0) return false;
		if (text[at + 1] === "also") return true;
		if (!vocabulary.ARTICLES.has(text[at + 1] ?? "")) return false;
		const isVerb = (offset: number) => vocabulary.CLAUSE_VERBS.has(text[at + offset] ?? "");
		return isVerb(3) || isVerb(4) || (text[at + 1] === "there" && isVerb(2));
	});
}

/** Finds two demands with one subject, as in "must parse CSV and must report errors". */
function repeatsModal(text: readonly string[]): boolean {
	const first = text.findIndex((word) => vocabulary.MODALS.has(word));
	return first !== -1 && text.some((word, at) => at > first && vocabulary.MODALS.has(word) && text[at - 1] === "and");
}

/** Returns the parts that commas, "and", "&", "/" and "plus" join. */
function partsOf(sentence: string): string[][] {
	return sentence.split(/,|&|\/|\band\b|\bplus\b/i).map(wordsOf);
}

const MAX_ASPECT_WORDS = 3;

/** Finds short parts next to each other that name different aspects, such as "tests and documentation". */
function joinsAspects(parts: readonly (readonly string[])[]): boolean {
	if (parts.length === 1) {
		const [text = []] = parts;
		return text.includes("and") && joinsAspects(splitAt(text, "and"));
	}
	if (parts.some((part) => part.some((word) => vocabulary.COVERING_VERBS.has(word)))) return false;
	const aspects = parts.map(aspectOf);
	return aspects.some((aspect, at) => aspect !== null && aspects[at + 1] != null && aspects[at + 1] !== aspect);
}

function splitAt(text: readonly string[], separator: string): string[][] {
	const parts: string[][] = [[]];
	for (const word of text) {
		if (word === separator) parts.push([]);
		else parts.at(-1)?.push(word);
	}
	return parts;
}

function aspectOf(part: readonly string[]): string | null {
	const content = part.filter((word) => !vocabulary.FILLERS.has(word));
	if (content.length > MAX_ASPECT_WORDS) return null;
	const named = content.find((word) => vocabulary.ASPECTS.has(word));
	return named === undefined ? null : (vocabulary.ASPECTS.get(named) ?? null);
}

/** Returns true if a criterion refers to another one, which its judge does not see. */
export function isDependent({ nameWords, descriptionWords }: CriterionWords, others: readonly CriterionWords[]): boolean {
	const names = others.map((other) => other.nameWords).filter((name) => name.length > 0);
	return [nameWords, descriptionWords].some((text) =>
		text.some((_, at) => refersToRubric(text, at) || vocabulary.REFERENCES.some((phrase) => refersToName(text, at, { phrase, names }))),
	);
}

function refersToRubric(text: readonly string[], at: number): boolean {
	const [word = "", next = ""] = [text[at], text[at + 1]];
	if (vocabulary.CRITERION_WORDS.has(word))
		return /^\d+$/.test(next) || vocabulary.OTHER_WORDS.has(text[at - 1] ?? "") || next === "above" || next === "below";
	if (word !== "above" && word !== "below") return false;
	const before = text[at - 1] ?? "";
	if (vocabulary.POINTING_WORDS.has(before)) return true;
	const isLast = next === "" || ["but", "requirement", "requirements", "point", "points", "and"].includes(next);
	return before === "the" && isLast;
}

function refersToName(
	text: readonly string[],
	at: number,
	{ phrase, names }: { readonly phrase: readonly string[]; readonly names: readonly (readonly string[])[] },
): boolean {
	if (text[at] !== phrase[0] || !hasPhraseAt(text, at, phrase)) return false;
	const start = at + phrase.length + (text[at + phrase.length] === "the" ? 1 : 0);
	return names.some((name) => hasPhraseAt(text, start, name));
}

/**
 * Returns true if a criterion asks only that something is missing. Behaviour is not meant, because files can show what the work never does.
 */
export function asksOnlyForAbsence({ sentences }: CriterionWords): boolean {
	return sentences.length > 0 && sentences.every(isAbsence);
}

function isAbsence(sentence: string): boolean {
	if (wordsOf(sentence).some((word) => vocabulary.CONTRASTS.has(word))) return false;
	const [first = [], ...others] = sentence.split(",").map(wordsOf);
	if (!startsWithAbsence(first)) return false;
	const isList = others.some((part) => part.includes("or"));
	return isList || others.every((part) => part.length === 0 || startsWithAbsence(part.filter((word) => word !== "and")));
}

function startsWithAbsence(text: readonly string[]): boolean {
	const start = text.findIndex(
		(word) => !["it", "the", "code", "there", "is", "are", "has", "contains", "should", "be", "solution", "submission"].includes(word),
	);
	const [word = "", next = "", afterNext = ""] = text.slice(Math.max(0, start));
	if (word === "no" || word === "zero" || word === "without") return !describesBehaviour(text.slice(start + 1));
	if (word === "avoid" || word === "avoids" || (word === "free" && next === "of") || (word === "absence" && next === "of")) return true;
	if (word === "doesn't" || word === "don't") return vocabulary.CONTAINING_VERBS.has(next);
	const isNegated = next === "not" && ["does", "do", "must", "may"].includes(word);
	if (isNegated) return vocabulary.CONTAINING_VERBS.has(afterNext);
	return word === "not" && vocabulary.CONTAINING_VERBS.has(next);
}

function describesBehaviour(text: readonly string[]): boolean {
	return text.some((word, at) => vocabulary.BEHAVIOUR_VERBS.has(word) && !vocabulary.PRESENCE_PARTICIPLES.has(text[at + 1] ?? ""));
}

/** Returns true if a criterion needs what a judge of files cannot see: production, opinions of people, business. */
export function isNotVerifiable({ nameWords, sentences }: CriterionWords): boolean {
	return [nameWords, ...sentences.map(wordsOf)].some(looksOutside);
}

function looksOutside(text: readonly string[]): boolean {
	if (measuresProduction(text)) return true;
	return text.some((_, at) => tellsOfPeople(text, at) || tellsOfSuccess(text, at) || isOutsidePhrase(text, at));
}

/** "Debug mode is off in production" can be read in a file; how fast something is there cannot. */
function measuresProduction(text: readonly string[]): boolean {
	const isInProduction = text.some((word, at) => word === "in" && text[at + 1] === "production");
	if (isInProduction && text.some((word) => vocabulary.PERFORMANCE_WORDS.has(word))) return true;
	return text.includes("uptime") && (text.length <= 2 || text.some((word) => /^(9\d|99\d*|100)$/.test(word)));
}

function tellsOfPeople(text: readonly string[], at: number): boolean {
	const [word = "", next = ""] = [text[at], text[at + 1]];
	if (vocabulary.JUDGEMENTS.has(word) && vocabulary.REACTIONS.has(next)) return true;
	return vocabulary.PEOPLE.has(word) && hasOpinion(text, at);
}

function tellsOfSuccess(text: readonly string[], at: number): boolean {
	const word = text[at] ?? "";
	if (vocabulary.GROWTH_VERBS.has(word)) return text.slice(at + 1, at + 4).some((result) => vocabulary.BUSINESS_RESULTS.has(result));
	return vocabulary.DELIVERY_VERBS.has(word) && text[at + 1] === "on" && text[at + 2] === "time";
}

function isOutsidePhrase(text: readonly string[], at: number): boolean {
	return vocabulary.OUTSIDE_PHRASES.some((phrase) => hasPhraseAt(text, at, phrase));
}

/** "Users love it" is an opinion; "users can recommend a film" and "users like posts" are features. */
function hasOpinion(text: readonly string[], at: number): boolean {
	const [next = "", afterNext = ""] = text.slice(at + 1, at + 3);
	if (next === "like") return ["it", "the", "this", "using", "how"].includes(afterNext);
	return vocabulary.OPINIONS.has(next) || (["are", "feel", "find"].includes(next) && vocabulary.OPINIONS.has(afterNext));
}

/** Texts with this share of content words in common are nearly equal if only one of them has words that the other lacks. */
const SIMILAR = 0.8;
/** If both have such words, they must share more, because they are often parallels, such as one criterion for each bank. */
const NEARLY_EQUAL = 0.92;
const MIN_WORDS = 3;

/** Finds the name of the earlier criterion that one nearly repeats, or null. */
export function findDuplicated(criterion: CriterionWords, earlier: readonly CriterionWords[]): string | null {
	return earlier.find((other) => isNearlyEqual(comparedWords(criterion), comparedWords(other)))?.name ?? null;
}

const known = new WeakMap<CriterionWords, ReadonlySet<string>>();

/** Lists the words of a description, and of the name as well where the description says little. */
function comparedWords(criterion: CriterionWords): ReadonlySet<string> {
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
