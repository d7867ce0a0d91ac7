// Finds the judge's quotes of an evaluation in the text of a file.

/** A dimension of scores that a judge has answered by checks. Others have none. */
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
	/** These are the first and last line, from 1. */
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

/** Reads the quotes that prove a judge's answers. Those of a sealed task have no text. */
export function readQuotes(dimensions: readonly Answered[]): readonly Quote[] {
	const all = dimensions.flatMap(({ criterion_name: criterion, checks = [] }) =>
		checks.flatMap(({ evidence }) => evidence.map(({ quote: text = "", ...at }) => ({ criterion, ...at, text }))),
	);
	// Two checks of a criterion may be proven by the same place.
	return [...new Map(all.map((quote) => [JSON.stringify(quote), quote] as const)).values()];
}

/** Splits the lines of a text, as the judge counts them. */
export function splitLines(text: string): readonly string[] {
	return text.split(/\r\n|\n|\r/);
}

/** A quote covers this part of one line: from a column up to before another. */
interface Span {
	readonly from: number;
	readonly to: number;
	readonly quote: Quote;
}

/** Finds the spans to mark, by number of the line. A quote that is not found word for word marks its lines as a whole. */
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
	// Lists each character that is not white space, with its place, so that a quote is found at any indentation.
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

/** Finds the place at which a list begins in another, or -1 if it does not occur or is empty. */
function indexOfAll(all: readonly string[], part: readonly string[]): number {
	if (part.length === 0) return -1;
	for (let start = 0; start + part.length <= all.length; start += 1) {
		if (part.every((item, index) => all[start + index] === item)) return start;
	}
	return -1;
}

export interface Segment {
	readonly text: string;
	/** These quotes cover the part. The list is empty for text without a mark. */
	readonly quotes: readonly Quote[];
}

/** Splits a line into parts, so that quotes which overlap are each marked. */
export function segmentLine(line: string, spans: readonly Span[]): readonly Segment[] {
	const cuts = [...new Set([0, line.length, ...spans.flatMap(({ from, to }) => [from, to])])].toSorted((a, b) => a - b);
	return cuts.slice(0, -1).flatMap((from, index) => {
		const to = cuts[index + 1] ?? line.length;
		const quotes = spans.filter((span) => span.from <= from && to <= span.to).map(({ quote }) => quote);
		return [{ text: line.slice(from, to), quotes }];
	});
}
