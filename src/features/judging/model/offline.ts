// Development and tests use this judge, which asks no model.
import type { CheckFinding } from "../../../domain/anchors.ts";
import { roundScore } from "../../../domain/scores.ts";
import type { Evidence, Judge, JudgeRequest, Verdict, WorkFile } from "../../../ports/judge.ts";
import { findClaimedParts } from "../artifacts/claimed-parts.ts";
import { findQuoted } from "../artifacts/comments.ts";
import { isGenerated } from "../artifacts/kinds.ts";

const OFFLINE = "Offline judge (development and tests only)";
const MAX_EVIDENCE = 3;
const MAX_QUOTE_LENGTH = 160;
const MAX_LISTED_WORDS = 12;
/**
 * The score has three shares: the words of the checks that the work shows, how much work there is, and whether SUBMISSION.md is whole.
 * Documents that repeat the rubric give nothing, because then a worse work could beat a better one by its words.
 */
const WORDS_SHARE = 0.55;
const AMOUNT_SHARE = 0.35;
const SECTIONS_SHARE = 0.1;
const SECTIONS = 6;

const STOP_WORDS = new Set(
	"a about above after all also an and any are as at be been but by can could do does each every for from had has have how if in into is it its more most must no not of on only or other our out over should so some such than that the their them then there these they this those to under up use used uses using very was well were what when where which while who will with works would you your".split(
		" ",
	),
);

/**
 * Scores without a model, by the words of each check that the work shows, and by the amount of work. It is deterministic, so tests can rely
 * on it, and every reasoning says that no model has read the work.
 */
export const offlineJudge: Judge = {
	name: "offline",
	models: [],
	promptVersion: "offline-4",
	judgeCriterion: (request) => Promise.resolve(judgeOffline(request)),
	compareOnCriterion({ works, turn: _, ...request }) {
		const [first, second] = works.map((work) => judgeOffline({ ...request, ...work, missingSections: [] }).score);
		const difference = (first ?? 0) - (second ?? 0);
		return Promise.resolve({ model: "offline", preferred: difference === 0 ? "neither" : difference > 0 ? "first" : "second" });
	},
};

function judgeOffline({ criterion, files, missingSections, samples = 1 }: JudgeRequest): Verdict {
	// Documents can prove some criteria. For these, they count as work.
	const work = files.filter((file) => !isGenerated(file.path) && (criterion.evidence === "any" || !file.isClaim));
	const claims = files.filter((file) => file.isClaim);
	const texts = criterion.checks.length > 0 ? criterion.checks : [`${criterion.name} ${criterion.description ?? ""}`];
	const search = new WordSearch(texts.flatMap(keywordsOf));
	const [shownIn, claimedIn] = [findWords(work, search), findWords(claims, search)];
	const answers = texts.map((check) => answerCheck(check, { shownIn, claimedIn }));
	const shown =
		answers.reduce((sum, { words, shown: found }) => sum + (words.length === 0 ? 0 : found.length / words.length), 0) / answers.length;
	const sections = (SECTIONS - missingSections.length) / SECTIONS;
	const score = roundScore(100 * (WORDS_SHARE * shown + AMOUNT_SHARE * amountOf(work, search) + SECTIONS_SHARE * sections));
	return {
		score,
		reasoning: explain(answers, missingSections),
		evidence: quoteLines(answers.flatMap((answer) => answer.shown.flatMap((word) => shownIn.get(word) ?? []))),
		checks: criterion.checks.length > 0 ? answers.map(({ check, found }) => ({ check, found })) : [],
		gaps: answers.flatMap(({ check, found, words, shown: some }) =>
			found === "yes" ? [] : [describeGap(check, absentOf({ check, words, shown: some }))],
		),
		samples: Array.from({ length: samples }, () => {
			return { model: offlineJudge.name, level: null, score, isInjectionSuspected: false, isCapped: false };
		}),
		cutFiles: [],
		strippedCharacters: 0,
	};
}

interface WordPlace {
	readonly file: WorkFile;
	readonly line: WorkLine;
}

/** Finds the first line that shows each word. */
function findWords(files: readonly WorkFile[], search: WordSearch): ReadonlyMap<string, WordPlace> {
	const places = new Map<string, WordPlace>();
	for (const file of files) {
		for (const line of readWorkLines(file)) {
			if (search.isList(line, { isProse: file.isClaim })) continue;
			for (const word of search.wordsOf(line)) if (!places.has(word)) places.set(word, { file, line });
		}
	}
	return places;
}

/** A check is answered by its words and where they occur. */
interface CheckWords {
	readonly check: string;
	readonly found: CheckFinding;
	readonly words: readonly string[];
	/** The work shows these words. */
	readonly shown: readonly string[];
	/** These words occur in its documents. */
	readonly claimed: readonly string[];
}

/** Answers a check. It is found if the work shows all of its words, and partly if it shows some. */
function answerCheck(
	check: string,
	{ shownIn, claimedIn }: { readonly shownIn: ReadonlyMap<string, WordPlace>; readonly claimedIn: ReadonlyMap<string, WordPlace> },
): CheckWords {
	const words = keywordsOf(check);
	const shown = words.filter((word) => shownIn.has(word));
	const claimed = words.filter((word) => claimedIn.has(word));
	const found = shown.length === 0 ? "no" : shown.length === words.length ? "yes" : "partly";
	return { check, found, words, shown, claimed };
}

/** Returns the words as the check has them, because their stems are not for people. */
function absentOf({ check, words, shown }: Pick<CheckWords, "check" | "words" | "shown">): string[] {
	const written = new Map(listWords(check).map((word) => [stem(word), word]));
	return words.filter((word) => !shown.includes(word)).map((word) => written.get(word) ?? word);
}

function describeGap(check: string, absent: readonly string[]): string {
	return `${check}: ${absent.length === 0 ? "the check has no words to look for" : `not found: ${absent.slice(0, MAX_LISTED_WORDS).join(", ")}`}`;
}

function keywordsOf(text: string): string[] {
	return [...new Set(listWords(text).map(stem))];
}

function listWords(text: string): string[] {
	const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
	return words.filter((word) => !STOP_WORDS.has(word));
}

/** Cuts the commonest English endings, so that "tests" in a rubric finds "test" in the code. */
function stem(word: string): string {
	return word.length > 5 ? word.replace(/(ations?|ing|ed|es|s)$/u, "") : word;
}

function quoteLines(places: readonly WordPlace[]): Evidence[] {
	// A line is quoted once, although it often shows several words.
	const quotes = new Map<string, Evidence>();
	for (const { file, line } of places) {
		const text = file.text.split("\n")[line.number - 1]?.trim().slice(0, MAX_QUOTE_LENGTH) ?? "";
		quotes.set(`${line.number} ${file.path}`, { path: file.path, start: line.number, end: line.number, quote: text });
		if (quotes.size === MAX_EVIDENCE) break;
	}
	return [...quotes.values()];
}

function explain(answers: readonly CheckWords[], missingSections: readonly string[]): string {
	const count = (wordsOf: (answer: CheckWords) => readonly string[]) => new Set(answers.flatMap(wordsOf)).size;
	const absent = [...new Set(answers.flatMap(absentOf))];
	return [
		`${OFFLINE}: no model has read this.`,
		`${count(({ shown }) => shown)} of ${count(({ words }) => words)} words of the criterion occur in the work, ${count(({ claimed }) => claimed)} in its documents.`,
		...(absent.length === 0 ? [] : [`Not found in the work: ${absent.slice(0, MAX_LISTED_WORDS).join(", ")}.`]),
		...(missingSections.length === 0 ? [] : [`SUBMISSION.md lacks: ${missingSections.join(", ")}.`]),
	].join(" ");
}

// Finds the words that the offline judge treats as shown. Without a model it cannot understand a text, so it looks at where the words are.

/** The line lacks its comments, its descriptions, and the texts in quotes that make up most of it. */
interface WorkLine {
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
function readWorkLines(file: WorkFile): readonly WorkLine[] {
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
class WordSearch {
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
function amountOf(files: readonly WorkFile[], search: WordSearch): number {
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
