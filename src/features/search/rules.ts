/** Words of a query that count; what comes after them is ignored. */
export const MAX_WORDS = 16;
/** A word that more tasks have says too little to be ranked by, and counting all of them would cost too much. */
export const RARE_WORD_TASKS = 2_000;
/** Matches that are ranked, newest first. */
export const MAX_CANDIDATES = 1_000;
/** Documents, in the order of publication, that have a facet in common. The trigger in `db/triggers.sql` repeats the number. */
export const STACK_DOCUMENTS = 12_500;
/** The newest full stacks in which matches without a rare word are found, divided by the number of words. At least one. */
const MAX_STACKS = 24;
/** For how many words a prefix counts: it stands for several. */
const PREFIX_WORDS = 2;
/** Words that a long prefix stands for. */
export const MAX_COMPLETIONS = 64;

/** A placeholder in templates for the completions of the query's prefix. No word contains it. */
export const COMPLETIONS_PLACEHOLDER = "\uE100";
/** Scores are whole numbers, so that their sums do not depend on the order of adding: this many are a rank of 1. */
export const SCORE_UNIT = 1_000;

/** Facets of a task begin with it. The trigger takes it out of the task's text, and no word of a query contains it. */
export const FACET_MARK = "_";
const STATUS_FACET = `${FACET_MARK}status_`;
const CATEGORY_FACET = `${FACET_MARK}category_`;
export const STACK_FACET = `${FACET_MARK}stack_`;

/** Prefixes of these lengths are in the index itself. */
const SHORTEST_PREFIX = 2;
const LONGEST_INDEXED_PREFIX = 4;

/** A user's query as expressions of the full-text index. Every word is quoted, so none is read as syntax. */
export interface SearchPlan {
	/** What a task must match. */
	readonly match: string;
	/** The words and phrases of the query, each an expression. */
	readonly parts: readonly string[];
	/** Single words with the index of the part they belong to. */
	readonly words: readonly { readonly part: number; readonly match: string }[];
	/** A prefix in place of whose completions the templates have {@link COMPLETIONS_PLACEHOLDER}. */
	readonly prefix: string | null;
	/** In how many full stacks, the newest ones, matches without a rare word are found. */
	readonly stacks: number;
}

export interface SearchFilter {
	readonly status: "open" | "closed" | "evaluating" | "any";
	readonly category: string | null;
}

interface Part {
	readonly words: readonly string[];
	/** Whether its last word may go on. */
	readonly isPrefix: boolean;
}

/** Reads a query; null when it has no word. */
export function planSearch(query: string, filter: SearchFilter): SearchPlan | null {
	const groups = parseQuery(query);
	if (groups.length === 0) return null;
	const parts = groups.flat();
	const prefix = parts.find((part) => part.isPrefix && isLong(part))?.words[0] ?? null;
	const alternatives = groups.map((group) => `(${group.map(toMatch).join(" AND ")})`).join(" OR ");
	return {
		match: [`(${alternatives})`, ...facetsOf(filter)].join(" AND "),
		parts: parts.map(toMatch),
		words: parts.flatMap((part, index) =>
			(part.isPrefix ? [toMatch(part)] : part.words.map(quote)).map((match) => ({ part: index, match })),
		),
		prefix: prefix === null ? null : foldWord(prefix),
		stacks: Math.max(1, Math.floor(MAX_STACKS / sum(parts.map(costOf)))),
	};
}

function costOf({ words, isPrefix }: Part): number {
	return isPrefix ? PREFIX_WORDS : words.length;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}

/** The query's words and phrases, in groups of which one must match whole. */
function parseQuery(query: string): Part[][] {
	const groups: Part[][] = [[]];
	let budget = MAX_WORDS;
	const tokens = [...query.matchAll(/"([^"]*)(?:"|$)|([\p{L}\p{M}\p{N}]+)/gu)];
	tokens.forEach(([, phrase, word], index) => {
		if (word === "OR") {
			groups.push([]);
			return;
		}
		const words = (word === undefined ? wordsOf(phrase ?? "") : [word]).slice(0, budget);
		budget -= words.length;
		const isPrefix = word !== undefined && index === tokens.length - 1 && [...word].length >= SHORTEST_PREFIX;
		if (words.length > 0) groups.at(-1)?.push({ words, isPrefix });
	});
	return groups.filter((group) => group.length > 0);
}

function wordsOf(text: string): string[] {
	return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function isLong({ words }: Part): boolean {
	return [...(words[0] ?? "")].length > LONGEST_INDEXED_PREFIX;
}

function toMatch(part: Part): string {
	if (!part.isPrefix) return quote(part.words.join(" "));
	return isLong(part) ? COMPLETIONS_PLACEHOLDER : `${quote(part.words.join(" "))} *`;
}

function quote(words: string): string {
	return `"${words}"`;
}

/** A word as the index keeps it: lower case without accents. */
function foldWord(word: string): string {
	return word.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC").toLowerCase();
}

function facetsOf({ status, category }: SearchFilter): string[] {
	const statuses = status === "any" ? [] : [`facets : ${quote(STATUS_FACET + status)}`];
	return category === null ? statuses : [...statuses, `facets : ${quote(CATEGORY_FACET + new TextEncoder().encode(category).toHex())}`];
}
