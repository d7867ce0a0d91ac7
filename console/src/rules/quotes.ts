// Finds the judge's quotes of an evaluation in the text of a file.

/** A scored criterion. It has checks if the judge answered some. */
interface Answered {
	readonly criterion_name: string;
	readonly checks?:
		| readonly {
				readonly evidence: readonly {
					readonly path: string;
					readonly start: number;
					readonly end: number;
					readonly quote?: string | undefined;
				}[];
		  }[]
		| undefined;
}

export interface Quote {
	readonly criterion: string;
	readonly path: string;
	/** The first and last line, from 1. */
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/** Returns the quotes that prove a judge's answers. On sealed tasks they have no text. */
export function readQuotes(dimensions: readonly Answered[]): readonly Quote[] {
	const all = dimensions.flatMap(({ criterion_name: criterion, checks = [] }) =>
		checks.flatMap(({ evidence }) => evidence.map(({ quote: text = "", ...at }) => ({ criterion, ...at, text }))),
	);
	// Two checks of a criterion may have the same quote.
	return [...new Map(all.map((quote) => [JSON.stringify(quote), quote] as const)).values()];
}

/** Splits text into lines as the judge counts them. */
export function splitLines(text: string): readonly string[] {
	return text.split(/\r\n|\n|\r/);
}

/** The part of a line that a quote covers: from one column up to, not including, another. */
interface Span {
	readonly from: number;
	readonly to: number;
	readonly quote: Quote;
}

/** Finds the spans to mark, by line number. If a quote is not found word for word, its whole lines are marked. */
export function placeQuotes(lines: readonly string[], quotes: readonly Quote[]): ReadonlyMap<number, readonly Span[]> {
	const spans = new Map<number, Span[]>();
	for (const quote of quotes) {
		for (const { line, from, to } of findQuote(lines, quote)) spans.set(line, [...(spans.get(line) ?? []), { from, to, quote }]);
	}
	return spans;
}

interface QuotedLines {
	readonly line: number;
	readonly from: number;
	readonly to: number;
}

const MAX_LINES = 500;

function findQuote(lines: readonly string[], { start, end, text }: Quote): readonly QuotedLines[] {
	const first = Math.max(1, Math.floor(start));
	const last = Math.min(lines.length, Math.floor(end), first + MAX_LINES);
	// Lists the characters that are not white space with their positions, so that a quote is found at any indentation.
	const characters: { readonly line: number; readonly column: number; readonly character: string }[] = [];
	for (let line = first; line <= last; line += 1) {
		[...(lines[line - 1] ?? "")].reduce((column, character) => {
			if (character.trim() !== "") characters.push({ line, column, character });
			return column + character.length;
		}, 0);
	}
	const wanted = [...text].filter((character) => character.trim() !== "");
	const at = indexOfAll(
		characters.map(({ character }) => character),
		wanted,
	);
	const covered = at === -1 ? characters : characters.slice(at, at + wanted.length);
	const found = new Map<number, QuotedLines>();
	for (const { line, column, character } of covered) {
		const from = Math.min(found.get(line)?.from ?? column, column);
		found.set(line, { line, from, to: column + character.length });
	}
	return [...found.values()];
}

/** Returns the index at which one list occurs in another, or -1 if it does not occur or is empty. */
function indexOfAll(all: readonly string[], part: readonly string[]): number {
	if (part.length === 0) return -1;
	for (let start = 0; start + part.length <= all.length; start += 1) {
		if (part.every((item, index) => all[start + index] === item)) return start;
	}
	return -1;
}

export interface Segment {
	readonly text: string;
	/** The quotes that cover the part. Empty if the text is not marked. */
	readonly quotes: readonly Quote[];
}

/** Splits a line into parts, so that each of several overlapping quotes is marked. */
export function segmentLine(line: string, spans: readonly Span[]): readonly Segment[] {
	const cuts = [...new Set([0, line.length, ...spans.flatMap(({ from, to }) => [from, to])])].toSorted((a, b) => a - b);
	return cuts.slice(0, -1).flatMap((from, index) => {
		const to = cuts[index + 1] ?? line.length;
		const quotes = spans.filter((span) => span.from <= from && to <= span.to).map(({ quote }) => quote);
		return [{ text: line.slice(from, to), quotes }];
	});
}
