// Judgements use a submission's files in this form: they are cleaned once, shown in many calls, and searched for quotes.
import { occurrencesOf } from "../../../domain/linear-search.ts";
import type { Evidence, LineRange, WorkFile } from "../../../ports/judge.ts";
import { findClaimedParts } from "../artifacts/claimed-parts.ts";
import { type FileKind, foldLook, kindOf } from "../artifacts/kinds.ts";
import { cleanLine, cleanText, MAX_PIECE_LENGTH, splitLines } from "./marking.ts";

const MAX_PATH_LENGTH = 512;
const MAX_QUOTE_LENGTH = 500;
/** The limit counts characters without white space. A shorter quote, such as `export const`, occurs in every file and proves nothing. */
export const MIN_QUOTE_LENGTH = 24;
/** A quote that is a whole line may be shorter. */
const MIN_LINE_LENGTH = 12;

export interface CleanFile {
	readonly path: string;
	/** Models see this path. */
	readonly shownPath: string;
	/** Paths that a model can mix up have the same look. */
	readonly look: string;
	readonly lines: readonly string[];
	/** The file has this many lines, which are more than `lines` has where only the beginning of the file is known. */
	readonly totalLines: number;
	readonly isClaim: boolean;
	readonly kind: FileKind;
	/** The whole file has this size. */
	readonly bytes: number;
	/** A call needs at most this room to show the file with its marks. */
	readonly size: number;
	/** This many invisible characters were removed. */
	readonly removed: number;
}

/** The mark, the number of the line, and what separates them need this room. */
const MARK_ROOM = 24;

const prepared = new WeakMap<WorkFile, CleanFile>();

/** Cleans a file. The same file again costs nothing. */
export function prepareFile(file: WorkFile): CleanFile {
	const known = prepared.get(file);
	if (known !== undefined) return known;
	const { text, removed } = cleanText(file.text);
	const lines = splitLines(text);
	const bytes = file.bytes ?? file.text.length;
	const kind = kindOf({ path: file.path, bytes });
	const material = {
		path: file.path,
		shownPath: cleanLine(file.path, MAX_PATH_LENGTH),
		look: foldLook(file.path),
		lines,
		totalLines: Math.max(lines.length, file.totalLines ?? 0),
		isClaim: file.isClaim,
		kind: file.isClaim && kind !== "generated" ? ("document" as const) : kind,
		bytes,
		size:
			2 * MAX_PATH_LENGTH + lines.reduce((sum, line) => sum + line.length + MARK_ROOM * Math.ceil((line.length + 1) / MAX_PIECE_LENGTH), 0),
		removed: removed + cleanText(file.path).removed,
	};
	prepared.set(file, material);
	return material;
}

/** Returns the file under another name, by which a model can still quote it. Only its ending stays. */
export function withoutName(file: CleanFile, index: number): CleanFile {
	const shownPath = nameTakenOut(file.path, index);
	return { ...file, shownPath, look: foldLook(shownPath) };
}

/** @param index The position of the file in its list makes the name unique. */
export function nameTakenOut(path: string, index: number): string {
	return `name-taken-out-${index + 1}${/\.[a-z0-9]{1,5}$/i.exec(path)?.[0] ?? ""}`;
}

/** A call shows a file up to this line. */
export interface FileExcerpt {
	readonly file: CleanFile;
	readonly linesRead: number;
}

/** Each path has the numbers of its lines. */
export type LineSet = ReadonlyMap<string, ReadonlySet<number>>;

/** Lines count from 1, so the name of a file has this number. */
export const NAME_LINE = 0;

export function toLineSet(ranges: readonly LineRange[]): LineSet {
	const lines = new Map<string, Set<number>>();
	for (const { path, start, end } of ranges) {
		const numbers = lines.get(path) ?? new Set();
		for (let number = start; number <= end; number += 1) numbers.add(number);
		lines.set(path, numbers);
	}
	return lines;
}

/** Finds the files that a model may mean: an author can give several files names that look the same. */
export function findShown(shown: readonly FileExcerpt[], path: string): FileExcerpt[] {
	const wanted = foldLook(path);
	return shown.filter(({ file }) => file.look === wanted);
}

/**
 * Returns the evidence whose quote is in the shown lines of the named file, ignoring white space, with its real line numbers. Invented
 * quotes, short ones, those on barred lines, and those that overlap another one are left out.
 */
export function verifyEvidence(
	claimed: readonly Evidence[],
	shown: readonly FileExcerpt[],
	barred: LineSet = new Map(),
): {
	readonly evidence: readonly Evidence[];
	/** One of the quotes shows work: enough of it is neither prose nor a comment nor a description. */
	readonly showsWork: boolean;
} {
	const verified: (Evidence & Span)[] = [];
	for (const { path, quote } of claimed) {
		for (const place of findShown(shown, path)) {
			const span = findQuote(place, { quote, barred: barred.get(place.file.path) ?? NO_LINES });
			if (span === null) continue;
			const isRepeated = verified.some((other) => other.path === place.file.path && other.from < span.to && span.from < other.to);
			if (!isRepeated) verified.push({ path: place.file.path, ...span, quote: quote.trim().slice(0, MAX_QUOTE_LENGTH) });
			break;
		}
	}
	return {
		evidence: verified.map(({ path, start, end, quote }) => ({ path, start, end, quote })),
		showsWork: verified.some(({ isWork }) => isWork),
	};
}

const NO_LINES: ReadonlySet<number> = new Set();

/** A file is searched without its white space. */
interface SearchText {
	readonly text: string;
	/** Each line ends at such an offset in `text`. */
	readonly lineEnds: readonly number[];
	/** Each offset in `text` has the number of characters before it that are work. */
	readonly workBefore: Uint32Array;
}

const folded = new WeakMap<CleanFile, SearchText>();

function foldFile(file: CleanFile): SearchText {
	const known = folded.get(file);
	if (known !== undefined) return known;
	let length = 0;
	const lines = file.lines.map(fold);
	const lineEnds = lines.map((line) => {
		length += line.length;
		return length;
	});
	const result = { text: lines.join(""), lineEnds, workBefore: countWork(file, length) };
	folded.set(file, result);
	return result;
}

/**
 * Counts for each offset of the folded text how much work is before it.
 *
 * @param length The file has this many characters without white space.
 */
function countWork(file: CleanFile, length: number): Uint32Array {
	const before = new Uint32Array(length + 1);
	if (file.isClaim) return before;
	const text = file.lines.join("\n");
	const isClaimed = new Uint8Array(text.length);
	for (const { from, to } of findClaimedParts(file.path, text)) isClaimed.fill(1, from, to);
	let at = 0;
	for (let index = 0; index < text.length; index += 1) {
		if (WHITE_SPACE.test(text[index] ?? "")) continue;
		before[at + 1] = (before[at] ?? 0) + (isClaimed[index] === 1 ? 0 : 1);
		at += 1;
	}
	return before;
}

const WHITE_SPACE = /\s/u;

function fold(text: string): string {
	return text.replace(/\s+/gu, "");
}

/** A quote was found here. Offsets are in the folded text, and lines count from 1. */
interface Span {
	readonly from: number;
	readonly to: number;
	readonly start: number;
	readonly end: number;
	/** It has as many characters of work as a quote needs. */
	readonly isWork: boolean;
}

/**
 * Finds the first place of a quote that shows work, otherwise the first that counts. The search continues at a later line, and behind
 * all lines that bar the quote.
 */
function findQuote(
	{ file, linesRead }: FileExcerpt,
	{ quote, barred }: { readonly quote: string; readonly barred: ReadonlySet<number> },
): Span | null {
	const searched = fold(quote);
	if (searched.length < MIN_LINE_LENGTH) return null;
	const { text, lineEnds, workBefore } = foldFile(file);
	let from = 0;
	let first: Span | null = null;
	for (const at of occurrencesOf(searched, { text, end: lineEnds[linesRead - 1] ?? 0 })) {
		if (at < from) continue;
		const span = spanOf({ lineEnds, workBefore }, at, at + searched.length);
		const isTelling = span.to - span.from >= minLengthOf(span, lineEnds);
		const obstacle = isTelling ? lastBarred(barred, span) : span.start;
		if (obstacle === null && span.isWork) return span;
		if (obstacle === null) first ??= span;
		from = lineEnds[(obstacle ?? span.start) - 1] ?? text.length;
	}
	return first;
}

function spanOf({ lineEnds, workBefore }: Pick<SearchText, "lineEnds" | "workBefore">, from: number, to: number): Span {
	const place = { from, to, start: lineAt(lineEnds, from), end: lineAt(lineEnds, to - 1) };
	const work = (workBefore[to] ?? 0) - (workBefore[from] ?? 0);
	return { ...place, isWork: work >= minLengthOf(place, lineEnds) };
}

/** Finds the number of the line that has the character at an offset: the first line that ends behind it. */
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

/** Returns how many characters a quote needs to prove something. A whole line needs fewer. */
function minLengthOf({ from, to, start, end }: Omit<Span, "isWork">, lineEnds: readonly number[]): number {
	const isWholeLine = start === end && from === (lineEnds[start - 2] ?? 0) && to === lineEnds[start - 1];
	return isWholeLine ? MIN_LINE_LENGTH : MIN_QUOTE_LENGTH;
}

/** Finds the last barred line of a span. Every later place of the quote that begins on or before this line has it too. */
function lastBarred(barred: ReadonlySet<number>, { start, end }: Span): number | null {
	for (let number = end; barred.size > 0 && number >= start; number -= 1) if (barred.has(number)) return number;
	return null;
}
