// Turns a criterion's text into checks without a model: each list item and each sentence becomes a check.
import { CHECKS_BOUNDS } from "../../../domain/checks.ts";

export interface CriterionText {
	readonly name: string;
	readonly description: string | null;
}

interface ChecksOfText {
	readonly checks: readonly string[];
	/** True if the text has more sentences and list items than a criterion may have checks. */
	readonly isCut: boolean;
}

/**
 * Turns a criterion into 1 to 8 checks. If its text contains none, its name becomes the check. The same text always results in the same
 * checks.
 */
export function checksByRules({ name, description }: CriterionText): ChecksOfText {
	const proposed = cleanChecks(partsOf(description ?? ""));
	const checks = proposed.slice(0, CHECKS_BOUNDS.perCriterion);
	return { checks: checks.length > 0 ? checks : [shortenCheck(name) || name], isCut: proposed.length > checks.length };
}

/**
 * Returns the texts that contain words, each on one line, shortened to the maximum length, without the final period and without duplicates.
 */
export function cleanChecks(texts: readonly string[]): string[] {
	const byText = new Map<string, string>();
	for (const text of texts) {
		const check = shortenCheck(text);
		const key = check.toLowerCase();
		if (/[\p{L}\p{N}]/u.test(check) && !byText.has(key)) byText.set(key, check);
	}
	return [...byText.values()];
}

/** Puts text on one line, removes its final punctuation, and cuts it after a word if it is too long. */
function shortenCheck(text: string): string {
	const line = text.replace(/\s+/gu, " ").trim();
	const characters = [...line.slice(0, line.length - finalStops(line))];
	if (characters.length <= CHECKS_BOUNDS.characters) return characters.join("");
	const cut = characters.slice(0, CHECKS_BOUNDS.characters - 1).join("");
	const lastSpace = cut.lastIndexOf(" ");
	return `${lastSpace > 0 ? cut.slice(0, lastSpace) : cut}…`;
}

const FINAL_STOPS = new Set([".", ";", ",", "。", " "]);

function finalStops(line: string): number {
	let count = 0;
	while (FINAL_STOPS.has(line[line.length - 1 - count] ?? "")) count += 1;
	return count;
}

interface Block {
	readonly isItem: boolean;
	readonly lines: string[];
}

const LIST_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const HEADING = /^\s{0,3}#{1,6}(?:\s|$)/;
/** Matches a line of `=` or `-`, which makes the line above it a heading in Markdown. */
const UNDERLINE = /^\s{0,3}(?:=+|-{2,})\s*$/;

function partsOf(description: string): string[] {
	return blocksOf(description)
		.map(({ isItem, lines }) => ({ isItem, text: lines.join(" ") }))
		.flatMap(({ isItem, text }) => (isItem ? [text] : sentencesOf(text)))
		.filter((part) => !isHeading(part));
}

/** Returns true for text that ends with a colon, because it is the heading of the text after it. */
function isHeading(text: string): boolean {
	return text.trimEnd().endsWith(":");
}

/** Joins the lines of each paragraph and of each list item. */
function blocksOf(description: string): Block[] {
	const blocks: Block[] = [];
	let open: Block | null = null;
	for (const line of description.split(/\r\n?|\n/)) {
		if (UNDERLINE.test(line) && open?.isItem === false) blocks.pop();
		const isBetween = line.trim() === "" || HEADING.test(line) || UNDERLINE.test(line);
		const isItem = LIST_MARK.test(line);
		if (isBetween) {
			open = null;
		} else if (isItem || open === null) {
			open = { isItem, lines: [line.replace(LIST_MARK, "")] };
			blocks.push(open);
		} else {
			open.lines.push(line);
		}
	}
	return blocks;
}

const SENTENCES = new Intl.Segmenter("en", { granularity: "sentence" });
const WORDS = new Intl.Segmenter("en", { granularity: "word" });

/**
 * Splits a paragraph into sentences. An abbreviation such as "e.g." or "etc." does not end a sentence, nor does a segment of one word such
 * as "No.".
 */
function sentencesOf(paragraph: string): string[] {
	const segments = Array.from(SENTENCES.segment(paragraph), ({ segment }) => segment);
	const whole = joinSegments(segments, { joinsNext: endsInAbbreviation, joinsLast: () => false });
	return joinSegments(whole, { joinsNext: (segment) => countWords(segment) === 1, joinsLast: (segment) => countWords(segment) <= 1 });
}

interface Joints {
	readonly joinsNext: (segment: string) => boolean;
	readonly joinsLast: (segment: string) => boolean;
}

function joinSegments(segments: readonly string[], { joinsNext, joinsLast }: Joints): string[] {
	const joined: string[] = [];
	let isOpen = false;
	for (const segment of segments) {
		const last = joined.length - 1;
		if (last >= 0 && (isOpen || joinsLast(segment))) joined[last] += segment;
		else joined.push(segment);
		isOpen = joinsNext(segment);
	}
	return joined;
}

/** Counts words, but only up to two. */
function countWords(segment: string): number {
	let count = 0;
	for (const { isWordLike } of WORDS.segment(segment)) {
		if (isWordLike === true) count += 1;
		if (count === 2) break;
	}
	return count;
}

const ABBREVIATION = /^["'“‘([{]*(?:(?:\p{L}{1,2}\.)+\p{L}|etc|cf|vs|approx)\.["'”’)\]}]*$/iu;

/** Returns true for an abbreviation such as "e.g.", but not for a filename, because the parts between its periods are longer. */
function endsInAbbreviation(segment: string): boolean {
	const text = segment.trimEnd();
	const lastWord = text.slice(Math.max(text.lastIndexOf(" "), text.lastIndexOf("\t")) + 1);
	return ABBREVIATION.test(lastWord);
}
