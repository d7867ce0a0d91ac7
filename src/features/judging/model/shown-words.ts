// Finds the words that the offline judge treats as shown. Without a model it cannot understand a text, so it looks at where the words are.
import type { WorkFile } from "../../../ports/judge.ts";
import { findClaimedParts } from "../artifacts/claimed-parts.ts";
import { findQuoted } from "../artifacts/comments.ts";

/** The line lacks its comments, its descriptions, and the texts in quotes that make up most of it. */
export interface WorkLine {
	/** It counts from 1. */
	readonly number: number;
	readonly text: string;
	readonly words: readonly Word[];
}

interface Word {
	/** It is in small letters. */
	readonly text: string;
	/** The first part is the word itself. The others are the parts of a name such as `parseHours` or `read_timeout`. */
	readonly parts: readonly string[];
}

/** Longer words are encoded data, which contains every short word somewhere. */
const MAX_WORD_LENGTH = 60;
const WORD = /[\p{L}\p{N}_]+/gu;
const PART = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+|\p{Lo}+/gu;

const read = new WeakMap<WorkFile, readonly WorkLine[]>();

/** Reads the lines of a file in time linear in its length. The same file again costs nothing. */
export function readWorkLines(file: WorkFile): readonly WorkLine[] {
	const known = read.get(file);
	if (known !== undefined) return known;
	const lines = withoutClaims(file)
		.split("\n")
		.map((text, index) => ({ number: index + 1, text, words: wordsOf(text) }))
		.filter(({ words }) => words.length > 0);
	read.set(file, lines);
	return lines;
}

function wordsOf(line: string): Word[] {
	return (line.match(WORD) ?? [])
		.filter((word) => word.length <= MAX_WORD_LENGTH)
		.map((word) => {
			const text = word.toLowerCase();
			return { text, parts: [text, ...(word.match(PART) ?? []).map((part) => part.toLowerCase())] };
		});
}

const WORK = 0;
const CLAIMED = 1;
const QUOTED = 2;

/** Python writes texts of many lines in this way. */
const LONG_TEXT = /("""|''')[\s\S]*?\1/g;
/**
 * This matches a function without a body, or a name for a fixed value: anyone can write one for each word of a rubric. No two
 * repetitions of spaces are next to each other, so that a long line of spaces takes linear time.
 */
const IDLE =
	/^[ \t]*(?:export |public |private |static |async |default )*(?:(?:function|def|class|fn|func)\b[^\n{}():]*(?:\([^\n{}()]*\)[ \t]*)?(?:\{[ \t]*(?:return\b[^\n{}();]*(?:;[ \t]*)?)?\}|:[ \t\n]*(?:pass|\.\.\.|return(?:[ \t]+(?:None|True|False))?)[ \t]*$)|(?:(?:const|let|var|final|int|string)[ \t]+)?[\w$]+[ \t]*=[ \t]*(?:[\w.'"+-]+|\[\]|\{\}|\([\w, \t]*\)[ \t]*=>[ \t]*(?:\{\}|\w+))[ \t]*(?:;[ \t]*)?$)/gm;

function withoutClaims(file: WorkFile): string {
	const { path, text } = file;
	if (file.isClaim) return text;
	const kinds = new Uint8Array(text.length);
	for (const { from, to } of findQuoted(path, text)) kinds.fill(QUOTED, from, to);
	for (const { 0: match, index } of text.matchAll(IDLE)) kinds.fill(CLAIMED, index, index + match.length);
	if (path.endsWith(".py")) for (const { 0: match, index } of text.matchAll(LONG_TEXT)) kinds.fill(QUOTED, index, index + match.length);
	for (const { from, to } of findClaimedParts(path, text)) kinds.fill(CLAIMED, from, to);
	let at = 0;
	return text
		.split("\n")
		.map((line) => {
			const shown = showLine(line, kinds.subarray(at, at + line.length));
			at += line.length + 1;
			return shown;
		})
		.join("\n");
}

/**
 * Replaces what a line only claims by spaces. A text in quotes counts if the rest of its line is as long, as in a test that has a name. A
 * list of texts shows nothing.
 */
function showLine(line: string, kinds: Uint8Array): string {
	const count = (kind: number) => kinds.reduce((sum, one, index) => sum + Number(one === kind && line[index] !== " "), 0);
	const quotesCount = count(QUOTED) <= count(WORK);
	return [...kinds].map((kind, index) => (kind === WORK || (kind === QUOTED && quotesCount) ? line[index] : " ")).join("");
}

const MIN_LISTED = 3;
/** Programs have such signs between their words. The signs that lists and prose also have are left out. */
const SIGNS = /[^\p{L}\p{M}\p{N}\s_.,'"-]/gu;
const MIN_ROW = 8;
const WORDS_PER_SIGN = 5;
const NUMBER = /^\p{N}+$/u;

/** Looks for words in lines. Each word is found where it begins a word of the line or a part of a name. */
export class WordSearch {
	readonly #searched: ReadonlySet<string>;
	readonly #lengths: readonly number[];

	/** @param searched The words are in small letters. */
	constructor(searched: readonly string[]) {
		this.#searched = new Set(searched);
		this.#lengths = [...new Set(searched.map(({ length }) => length))];
	}

	/** Returns the searched words that a line shows. */
	wordsOf({ words }: WorkLine): string[] {
		return words.flatMap((word) => this.#findIn(word));
	}

	/**
	 * Returns true if a line lists words instead of using them. Such a line repeats what is asked for, and shows nothing. Prose needs as many
	 * words of its own. Elsewhere, a line of many words with few signs, or of a single word, shows nothing.
	 */
	isList({ text, words }: WorkLine, { isProse }: { readonly isProse: boolean }): boolean {
		const named = words.filter((word) => !NUMBER.test(word.text));
		const searched = named.filter((word) => this.#findIn(word).length > 0).length;
		const isMostlySearched = 2 * searched > named.length;
		if (isProse) return isMostlySearched;
		const signs = text.match(SIGNS)?.length ?? 0;
		if (signs === 0 && words.length === 1) return true;
		return (named.length >= MIN_ROW && signs * WORDS_PER_SIGN <= named.length) || (isMostlySearched && searched >= MIN_LISTED);
	}

	#findIn({ parts }: Word): string[] {
		return parts.flatMap((part) => this.#lengths.map((length) => part.slice(0, length)).filter((begin) => this.#searched.has(begin)));
	}
}

const MIN_LINE_LENGTH = 8;
/** Work with this number of lines has half of what its amount can give. */
const HALF_LINES = 5;

/**
 * Measures how much work there is, from 0 to 1. Equal lines count once, lists of searched words do not count, and each further line adds
 * less.
 */
export function amountOf(files: readonly WorkFile[], search: WordSearch): number {
	const lines = new Set<string>();
	for (const file of files) {
		for (const line of readWorkLines(file)) {
			const folded = line.text.replace(/\s+/gu, "");
			const isWork = folded.length >= MIN_LINE_LENGTH && (file.isClaim || line.text.search(SIGNS) >= 0);
			if (isWork && !search.isList(line, { isProse: file.isClaim })) lines.add(folded);
		}
	}
	return lines.size / (lines.size + HALF_LINES);
}
