// A submission's files as judgements use them: cleaned once, shown in many calls, searched for quotes.

import type { Evidence, JudgedFile, LineRange } from "../../ports/judge.ts";
import { cleanLine, cleanText, splitLines } from "./marking.ts";

const MAX_PATH_LENGTH = 512;
const MAX_QUOTE_LENGTH = 500;
/** Without white space. A shorter quote, such as `export const`, occurs in every file and proves nothing. */
const MIN_QUOTE_LENGTH = 24;
/** The same for a quote that is a whole line. */
const MIN_LINE_LENGTH = 12;

export interface Material {
	readonly path: string;
	/** The path as models see it. */
	readonly shownPath: string;
	readonly lines: readonly string[];
	/** More than `lines` has, where only the beginning of the file is known. */
	readonly totalLines: number;
	readonly isClaim: boolean;
	/** Invisible characters that were taken out. */
	readonly removed: number;
}

const prepared = new WeakMap<JudgedFile, Material>();

/** Cleans a file; the same file again costs nothing. */
export function prepareFile(file: JudgedFile): Material {
	const known = prepared.get(file);
	if (known !== undefined) return known;
	const { text, removed } = cleanText(file.text);
	const lines = splitLines(text);
	const material = {
		path: file.path,
		shownPath: cleanLine(file.path, MAX_PATH_LENGTH),
		lines,
		totalLines: Math.max(lines.length, file.totalLines ?? 0),
		isClaim: file.isClaim,
		removed: removed + cleanText(file.path).removed,
	};
	prepared.set(file, material);
	return material;
}

/** A file as far as a call shows it. */
export interface ShownFile {
	readonly file: Material;
	readonly linesRead: number;
}

/** Numbers of lines by path. */
export type LineSet = ReadonlyMap<string, ReadonlySet<number>>;

export function toLineSet(ranges: readonly LineRange[]): LineSet {
	const lines = new Map<string, Set<number>>();
	for (const { path, start, end } of ranges) {
		const numbers = lines.get(path) ?? new Set();
		for (let number = start; number <= end; number += 1) numbers.add(number);
		lines.set(path, numbers);
	}
	return lines;
}

/** The file that a model means. */
export function findShown(shown: readonly ShownFile[], path: string): ShownFile | undefined {
	const wanted = path.trim();
	return shown.find(({ file }) => file.shownPath === wanted || file.path === wanted);
}

/**
 * The evidence whose quote is in the shown lines of the named file, ignoring white space, with its real line numbers.
 * Invented quotes, short ones, those on barred lines, and those that overlap another one are left out.
 */
export function verifyEvidence(claimed: readonly Evidence[], shown: readonly ShownFile[], barred: LineSet = new Map()): Evidence[] {
	const verified: (Evidence & Span)[] = [];
	for (const { path, quote } of claimed) {
		const place = findShown(shown, path);
		const span = place === undefined ? null : findQuote(place, { quote, barred: barred.get(place.file.path) ?? NO_LINES });
		if (place === undefined || span === null) continue;
		const isRepeated = verified.some((other) => other.path === place.file.path && other.from < span.to && span.from < other.to);
		if (!isRepeated) verified.push({ path: place.file.path, ...span, quote: quote.trim().slice(0, MAX_QUOTE_LENGTH) });
	}
	return verified.map(({ path, start, end, quote }) => ({ path, start, end, quote }));
}

const NO_LINES: ReadonlySet<number> = new Set();

interface Folded {
	readonly text: string;
	/** Where in `text` each line ends. */
	readonly lineEnds: readonly number[];
}

const folded = new WeakMap<Material, Folded>();

function foldFile(file: Material): Folded {
	const known = folded.get(file);
	if (known !== undefined) return known;
	let length = 0;
	const lines = file.lines.map(fold);
	const lineEnds = lines.map((line) => {
		length += line.length;
		return length;
	});
	const result = { text: lines.join(""), lineEnds };
	folded.set(file, result);
	return result;
}

function fold(text: string): string {
	return text.replace(/\s+/gu, "");
}

/** Where a quote is: offsets in the folded text, and lines from 1. */
interface Span {
	readonly from: number;
	readonly to: number;
	readonly start: number;
	readonly end: number;
}

interface Wanted {
	readonly quote: string;
	readonly barred: ReadonlySet<number>;
}

/** The first place of a quote that counts. Each search starts at a later line than the one before, and behind all lines that bar it. */
function findQuote({ file, linesRead }: ShownFile, { quote, barred }: Wanted): Span | null {
	const wanted = fold(quote);
	if (wanted.length < MIN_LINE_LENGTH) return null;
	const { text, lineEnds } = foldFile(file);
	const shownEnd = lineEnds[linesRead - 1] ?? 0;
	for (let at = text.indexOf(wanted); at !== -1 && at + wanted.length <= shownEnd; ) {
		const span = spanOf(lineEnds, at, at + wanted.length);
		const obstacle = isTelling(span, lineEnds) ? lastBarred(barred, span) : span.start;
		if (obstacle === null) return span;
		at = text.indexOf(wanted, lineEnds[obstacle - 1] ?? text.length);
	}
	return null;
}

function spanOf(lineEnds: readonly number[], from: number, to: number): Span {
	return { from, to, start: lineAt(lineEnds, from), end: lineAt(lineEnds, to - 1) };
}

/** The number of the line that has the character at an offset: the first line that ends behind it. */
function lineAt(lineEnds: readonly number[], offset: number): number {
	let low = 0;
	let high = lineEnds.length - 1;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((lineEnds[middle] ?? 0) > offset) high = middle;
		else low = middle + 1;
	}
	return low + 1;
}

function isTelling({ from, to, start, end }: Span, lineEnds: readonly number[]): boolean {
	const isWholeLine = start === end && from === (lineEnds[start - 2] ?? 0) && to === lineEnds[start - 1];
	return to - from >= (isWholeLine ? MIN_LINE_LENGTH : MIN_QUOTE_LENGTH);
}

/** The last barred line of a span. Every later place of the quote that begins on or before this line has it too. */
function lastBarred(barred: ReadonlySet<number>, { start, end }: Span): number | null {
	for (let number = end; barred.size > 0 && number >= start; number -= 1) if (barred.has(number)) return number;
	return null;
}
