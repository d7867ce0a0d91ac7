// The rules for searching the documentation.
import type { DocsPage } from "./docs-page.ts";

/** The points for each occurrence of the query in a part of the page. */
export const SEARCH_WEIGHTS = { title: 5, description: 4, heading: 3, body: 1 } as const;
/** The maximum points for the body of a page. */
export const MAX_BODY_SCORE = 5;
/** The approximate number of characters of the body that a hit shows. */
export const SNIPPET_LENGTH = 140;
/** The ends of a snippet may move by this number of characters to avoid cutting words. */
const WORD_SLACK = 24;

/** The parts of a page that are searched. Headings are not part of the body. */
export interface SearchablePage {
	readonly title: string;
	readonly description: string | null;
	readonly headings: readonly string[];
	readonly body: string;
}

export interface SearchHit {
	readonly score: number;
	readonly snippet: string;
}

/** Splits a page into its parts. The body keeps its Markdown, so that searches find commands and field names. */
export function toSearchable({ title, description, body_md, headings }: DocsPage): SearchablePage {
	const ends = [0, ...headings.map(({ end }) => end)];
	const starts = [...headings.map(({ start }) => start), body_md.length];
	const body = starts.map((start, index) => body_md.slice(ends[index], start)).join("");
	return { title, description, headings: headings.map(({ text }) => text), body };
}

/**
 * Finds the exact query on a page, including spaces. Returns null if it does not occur. Case is folded character by character (Unicode's
 * simple folding), so that positions stay the same. Occurrences do not overlap.
 */
export function searchPage(page: SearchablePage, query: string): SearchHit | null {
	return searchTerms(page, [query]);
}

/** Finds all words of a query anywhere on a page. Returns null if a word is missing, and for a query of one word. */
export function searchPageForWords(page: SearchablePage, query: string): SearchHit | null {
	const words = new Set(query.toLowerCase().split(/\s+/).filter(Boolean));
	return words.size < 2 ? null : searchTerms(page, [...words]);
}

function searchTerms(page: SearchablePage, terms: readonly string[]): SearchHit | null {
	const scores = terms.map((term) => {
		const count = (text: string) => findAll(text, term).length;
		const elsewhere =
			SEARCH_WEIGHTS.title * count(page.title) +
			SEARCH_WEIGHTS.description * count(page.description ?? "") +
			SEARCH_WEIGHTS.heading * page.headings.reduce((total, heading) => total + count(heading), 0);
		return { elsewhere, body: SEARCH_WEIGHTS.body * count(page.body) };
	});
	if (scores.some(({ elsewhere, body }) => elsewhere + body === 0)) return null;
	const total = (part: "elsewhere" | "body") => scores.reduce((sum, { [part]: points }) => sum + points, 0);
	return { score: total("elsewhere") + Math.min(total("body"), MAX_BODY_SCORE), snippet: makeSnippet(page, terms) };
}

function findAll(text: string, term: string): number[] {
	const pattern = new RegExp(term.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
	return [...text.matchAll(pattern)].map(({ index }) => index);
}

interface TermMatch {
	readonly from: number;
	readonly length: number;
	readonly term: string;
}

/**
 * Makes a snippet of the best part of the page's prose or, failing that, of its code blocks. Without a match, uses the description or the
 * beginning.
 */
function makeSnippet({ title, description, body }: SearchablePage, terms: readonly string[]): string {
	const prose = removeCodeBlocks(body);
	for (const text of [prose, body]) {
		const best = findBest(
			terms.flatMap((term) => findAll(text, term).map((from) => ({ from, length: term.length, term }))).toSorted((a, b) => a.from - b.from),
		);
		if (best !== undefined) return cutSnippet(text, best);
	}
	return description ?? (cutSnippet(prose, { from: 0, length: 0 }) || title);
}

/** Removes code blocks. Snippets prefer prose, because shell and JSON samples mean little without context. */
function removeCodeBlocks(body: string): string {
	return body.replace(/^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[^\n]*\n)*?[ \t]*\1[ \t]*$/gm, "");
}

/**
 * Finds the best start of a snippet: the match after which the most different terms fit into a snippet's length. In a tie, the most matches
 * count, then the earliest position.
 */
function findBest(matches: readonly TermMatch[]): TermMatch | undefined {
	let best: { match: TermMatch; terms: number; count: number } | undefined;
	let end = 0;
	for (const [index, match] of matches.entries()) {
		end = Math.max(end, index + 1);
		for (let next = matches[end]; next !== undefined && next.from + next.length <= match.from + SNIPPET_LENGTH; next = matches[end])
			end += 1;
		const within = matches.slice(index, end);
		const [terms, count] = [new Set(within.map(({ term }) => term)).size, within.length];
		if (best === undefined || terms > best.terms || (terms === best.terms && count > best.count)) best = { match, terms, count };
	}
	return best?.match;
}

/** Cuts a snippet of one line around a match. It begins and ends between words if a space is near its ends. */
function cutSnippet(text: string, match: { from: number; length: number }): string {
	const matchLength = Math.min(match.length, SNIPPET_LENGTH);
	const lead = Math.max(0, Math.floor((SNIPPET_LENGTH - matchLength) / 3));
	let start = Math.max(0, Math.min(match.from - lead, text.length - SNIPPET_LENGTH));
	let end = Math.min(text.length, start + SNIPPET_LENGTH);
	if (start > 0) {
		const gap = text.slice(start, Math.min(start + WORD_SLACK, match.from)).search(/\s/);
		start += gap === -1 ? Number(isLowSurrogate(text, start)) : gap;
	}
	if (end < text.length) {
		const tail = text.slice(Math.max(end - WORD_SLACK, match.from + matchLength), end);
		const gap = tail.search(/\s\S*$/);
		end -= gap === -1 ? Number(isLowSurrogate(text, end)) : tail.length - gap;
	}
	const shownText = text.slice(start, end).replace(/\s+/g, " ").trim();
	return `${text.slice(0, start).trim() === "" ? "" : "…"}${shownText}${text.slice(end).trim() === "" ? "" : "…"}`;
}

function isLowSurrogate(text: string, index: number): boolean {
	return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}
