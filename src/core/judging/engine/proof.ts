// The answers yes and partly need a quote that is in the files. Quotes and files are normalized in the same way before the search, and the
// platform itself finds the path and the lines.
import { occurrencesOf } from "../../../domain/linear-search.ts";
import { foldLook } from "../../../domain/look.ts";
import type { Quote } from "../../../ports/judge.ts";
import { cutText } from "./marking.ts";
import { type CleanFile, type FileExcerpt, withoutMarks } from "./material.ts";

/** A shorter quote may occur anywhere and proves nothing, unless it is a whole line. */
export const MIN_QUOTE_LENGTH = 12;
const MIN_LINE_CHARACTERS = 3;
const MAX_KEPT_LENGTH = 500;

/** Text that, according to the model, is in a file. */
export interface ClaimedQuote {
	readonly path: string;
	readonly quote: string;
}

/** A quote that was found in a file. */
export interface Proof extends Quote {
	/** The number of characters before the quote in its first line, not counting white space. */
	readonly offset: number;
}

/**
 * Finds the quotes in the shown lines: first in the file that the model named, then in the others. The author's claims do not count as
 * evidence, unless the criterion says so.
 */
export function findProofs(
	claimed: readonly ClaimedQuote[],
	{ shown, mark, claimsProve }: { readonly shown: readonly FileExcerpt[]; readonly mark: string; readonly claimsProve: boolean },
): Proof[] {
	const proving = shown.filter(({ file }) => claimsProve || !file.isClaim);
	return claimed.flatMap(({ path, quote }) => {
		const said = withoutEllipsis(withoutMarks(mark, quote));
		const claim = { text: fold(said), isLong: said.trim().replace(/\s+/gu, " ").length >= MIN_QUOTE_LENGTH };
		if (letters(claim.text) < MIN_LINE_CHARACTERS) return [];
		const look = foldLook(path);
		const named = proving.filter(({ file }) => file.look === look);
		for (const place of [...named, ...proving.filter((other) => !named.includes(other))]) {
			const match = findIn(place, claim);
			if (match !== null) return [{ ...match, quote: cutText(withoutMarks(mark, quote).trim(), MAX_KEPT_LENGTH) }];
		}
		return [];
	});
}

function withoutEllipsis(quote: string): string {
	return quote.trimEnd().replace(/(?:…|\.{3})$/u, "");
}

function letters(text: string): number {
	return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/**
 * Normalizes text, so that text that looks the same becomes equal: composes characters, removes white space, and replaces typographic
 * quotation marks.
 */
function fold(text: string): string {
	return text
		.normalize("NFC")
		.replace(/[“”„‟«»]/gu, '"')
		.replace(/[‘’‚‛]/gu, "'")
		.replace(/\s+/gu, "");
}

interface SearchText {
	readonly text: string;
	/** The offset in `text` at which each line ends. */
	readonly lineEnds: readonly number[];
}

const folded = new WeakMap<CleanFile, SearchText>();

function foldFile(file: CleanFile): SearchText {
	const cached = folded.get(file);
	if (cached !== undefined) return cached;
	const lines = file.lines.map(fold);
	let length = 0;
	const lineEnds = lines.map((line) => {
		length += line.length;
		return length;
	});
	const searchText = { text: lines.join(""), lineEnds };
	folded.set(file, searchText);
	return searchText;
}

interface Wanted {
	/** The normalized quote to search for. */
	readonly text: string;
	/** True if the quote is long enough to count as a part of a line. */
	readonly isLong: boolean;
}

function findIn({ file, linesRead }: FileExcerpt, wanted: Wanted): Omit<Proof, "quote"> | null {
	const { text, lineEnds } = foldFile(file);
	for (const at of occurrencesOf(wanted.text, { text, end: lineEnds[linesRead - 1] ?? 0 })) {
		const start = lineAt(lineEnds, at);
		const end = lineAt(lineEnds, at + wanted.text.length - 1);
		const lineStart = lineEnds[start - 2] ?? 0;
		const isWholeLine = start === end && at === lineStart && at + wanted.text.length === lineEnds[start - 1];
		if (isWholeLine || wanted.isLong) return { path: file.path, start, end, offset: at - lineStart };
	}
	return null;
}

/** Finds the number of the line that contains an offset: the first line that ends after it. */
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

/** The number of lines around a quote that are shown for a confirmation. */
const LINES_BEFORE = 2;
const LINES_BEHIND = 3;
const MAX_QUOTED_LINES = 6;
const MAX_LINE_LENGTH = 400;

/** Returns up to six lines of a proof and up to five lines around them, each cut to 400 characters. */
export function linesAround({ start, end, offset }: Proof, { lines }: CleanFile): string[] {
	const last = Math.min(end, start + MAX_QUOTED_LINES - 1) + LINES_BEHIND;
	return lines.slice(Math.max(0, start - 1 - LINES_BEFORE), last).map((line, index) => {
		const isFirstQuoted = Math.max(0, start - 1 - LINES_BEFORE) + index === start - 1;
		return line.length <= MAX_LINE_LENGTH ? line : cutAround(line, isFirstQuoted ? offset : 0);
	});
}

/** Cuts a long line to the part around the character at `offset`, a position that does not count white space. */
function cutAround(line: string, offset: number): string {
	let at = 0;
	for (let seen = 0; at < line.length && seen < offset; at += 1) if (!/\s/u.test(line[at] ?? "")) seen += 1;
	const from = Math.max(0, Math.min(at - MAX_LINE_LENGTH / 4, line.length - MAX_LINE_LENGTH));
	return line.slice(from, from + MAX_LINE_LENGTH).toWellFormed();
}
