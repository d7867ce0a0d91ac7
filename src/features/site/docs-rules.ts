// Search over documentation pages.
import type { DocsPage } from "./docs-pages.ts";

/** Points for each occurrence of the query, by where it stands. Contract: "Documentation". */
export const SEARCH_WEIGHTS = { title: 5, description: 4, heading: 3, body: 1 } as const;
/** The most that the body of a page contributes to its score. */
export const MAX_BODY_SCORE = 5;
/** About how many characters of the body a hit shows. */
export const SNIPPET_LENGTH = 140;
/** How far a snippet's ends move to stand between words. */
const WORD_SLACK = 24;

/** A placeholder in built texts for the origin of the reader's request. */
const BASE_URL = "{base_url}";

/** Puts the reader's origin where a built text leaves it open. What no origin has, but HTML, JSON or a shell would read, is left out. */
export function fillBaseUrl(text: string, baseUrl: string): string {
	return text.replaceAll(BASE_URL, baseUrl.replace(/[^\w.:/[\]~%-]/g, ""));
}

/** A page as the search reads it: text in a heading does not count as body. */
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

/** Takes a page apart. The body keeps its Markdown, so that commands and field names in it are found. */
export function toSearchable({ title, description, body_md, headings }: DocsPage): SearchablePage {
	const ends = [0, ...headings.map(({ end }) => end)];
	const starts = [...headings.map(({ start }) => start), body_md.length];
	const body = starts.map((start, index) => body_md.slice(ends[index], start)).join("");
	return { title, description, headings: headings.map(({ text }) => text), body };
}

/**
 * What a query finds on a page, or null. Case is folded as Unicode's simple folding does, character by character, so that
 * positions stay what they are; occurrences do not overlap.
 */
export function searchPage(page: SearchablePage, query: string): SearchHit | null {
	const pattern = new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
	const count = (text: string): number => text.match(pattern)?.length ?? 0;
	const matches = [...page.body.matchAll(pattern)].map(({ index }) => index);
	const score =
		SEARCH_WEIGHTS.title * count(page.title) +
		SEARCH_WEIGHTS.description * count(page.description ?? "") +
		SEARCH_WEIGHTS.heading * page.headings.reduce((total, heading) => total + count(heading), 0) +
		Math.min(SEARCH_WEIGHTS.body * matches.length, MAX_BODY_SCORE);
	return score === 0 ? null : { score, snippet: makeSnippet(page, { matches, length: query.length }) };
}

/** The best part of the body; of a page that matches elsewhere only, its description or how it begins. */
function makeSnippet(
	{ title, description, body }: SearchablePage,
	{ matches, length }: { matches: readonly number[]; length: number },
): string {
	const [first] = matches;
	if (first === undefined) return description ?? (cut(body, { from: 0, length: 0 }) || title);
	return cut(body, { from: findDensest(matches, length) ?? first, length });
}

/** Where the match stands that has the most others within a snippet's length behind it, the first among equals. */
function findDensest(matches: readonly number[], length: number): number | undefined {
	let best: { from: number; count: number } | undefined;
	let last = 0;
	for (const [index, from] of matches.entries()) {
		while ((matches[last] ?? Number.POSITIVE_INFINITY) + length <= from + SNIPPET_LENGTH) last += 1;
		const count = last - index;
		if (best === undefined || count > best.count) best = { from, count };
	}
	return best?.from;
}

/** A snippet on one line with a match in it, beginning and ending between words where there are some near. */
function cut(text: string, match: { from: number; length: number }): string {
	const shown = Math.min(match.length, SNIPPET_LENGTH);
	const lead = Math.max(0, Math.floor((SNIPPET_LENGTH - shown) / 3));
	let start = Math.max(0, Math.min(match.from - lead, text.length - SNIPPET_LENGTH));
	let end = Math.min(text.length, start + SNIPPET_LENGTH);
	if (start > 0) {
		const gap = text.slice(start, Math.min(start + WORD_SLACK, match.from)).search(/\s/);
		start += gap === -1 ? Number(isLowSurrogate(text, start)) : gap;
	}
	if (end < text.length) {
		const tail = text.slice(Math.max(end - WORD_SLACK, match.from + shown), end);
		const gap = tail.search(/\s\S*$/);
		end -= gap === -1 ? Number(isLowSurrogate(text, end)) : tail.length - gap;
	}
	const shownText = text.slice(start, end).replace(/\s+/g, " ").trim();
	return `${text.slice(0, start).trim() === "" ? "" : "…"}${shownText}${text.slice(end).trim() === "" ? "" : "…"}`;
}

function isLowSurrogate(text: string, index: number): boolean {
	return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}
