import { openTokensOf, type Segment, segmentsOf, tokenize, tokensOf } from "../../../domain/search-tokens.ts";
import type { TaskStatus } from "../../../domain/task-status.ts";
import { SECOND_MS } from "../../../platform/clock.ts";

/** The maximum number of words in a query, because each may need a scan over all tasks. */
export const MAX_WORDS = 12;
/** Each word of a phrase counts as this many words, because SQLite must compare its positions in each task. */
export const PHRASE_WORD_COST = 2;
/**
 * The maximum number of matches that are ranked, newest first. The same limit applies separately to the invite-only tasks that the caller
 * may find.
 */
export const MAX_MATCHES = 1_000;
/** A spec is indexed up to this length, to bound the size of the index and the number of words that a task can add. */
export const MAX_SPEC_CHARACTERS = 5_000;
/** If the last word of a query is shorter than this, it must match a whole word. */
const SHORTEST_PREFIX = 2;

/** The columns with users' texts. */
const TEXTS = "{title description category specs}";

/** The last attempt is eight and a half hours after the first. */
export const MAX_INDEX_TRIES = 12;
const FIRST_INDEX_WAIT_MS = 15 * SECOND_MS;

/**
 * Returns when to try again to index a task, in milliseconds since the epoch. Each wait is twice as long as the one before.
 *
 * @param tries The number of attempts before the current one.
 */
export function nextIndexAt(tries: number, now: number): number {
	return now + FIRST_INDEX_WAIT_MS * 2 ** tries;
}

/** The state of a task that goes into the index. */
export interface TaskRevision {
	readonly id: string;
	/** Grows with each change of the task. */
	readonly revision: number;
	readonly status: TaskStatus;
	/** Hidden tasks are not in the index. */
	readonly hidden: boolean;
	/** The agents that can find an invite-only task. Null for a task that everyone can find. */
	readonly readers: readonly string[] | null;
	readonly title: string;
	readonly description: string | null;
	readonly category: string;
	readonly inputSpec: string | null;
	readonly outputSpec: string | null;
}

/** Returns a task as the columns of the index. */
export function toDocument(task: TaskRevision) {
	return {
		id: task.id,
		revision: task.revision,
		readers: task.readers === null ? EVERYONE : task.readers.map(toToken).join(" "),
		words: ` ${toText(task.title)} `,
		title: toText(task.title),
		description: toText(task.description ?? ""),
		category: toText(task.category),
		specs: [task.inputSpec, task.outputSpec].map((spec) => cutSpec(spec ?? "")).join(" "),
		status: task.status,
		exactCategory: toToken(task.category),
	};
}

/** Returns true for a task that searches may find. */
export function isSearchable({ status, hidden }: Pick<TaskRevision, "status" | "hidden">): boolean {
	return status !== "draft" && !hidden;
}

function toText(text: string): string {
	return tokenize(text).join(" ");
}

/** Drops the last word of a text that was cut, because it may be incomplete. */
function cutSpec(spec: string): string {
	if (spec.length <= MAX_SPEC_CHARACTERS) return toText(spec);
	return tokenize(spec.slice(0, MAX_SPEC_CHARACTERS)).slice(0, -1).join(" ");
}

/** Turns a category or an id into a single word for the index, even if it contains spaces or punctuation. */
function toToken(text: string): string {
	return new TextEncoder().encode(text).toHex();
}

/** Stands for everyone in the list of a task's readers. Never equals the token of an agent's id, because such tokens are hexadecimal. */
const EVERYONE = "everyone";

export interface SearchFilter {
	readonly status: Exclude<TaskStatus, "draft"> | "any";
	readonly category: string | null;
	readonly readerId: string;
}

export interface SearchPlan {
	/** FTS expressions. A task must match one of them. Every word is quoted, so none is read as syntax. */
	readonly matches: readonly string[];
	/**
	 * The words and phrases of the query, spelled like titles in the index. The more of them a task's title contains, the higher the task
	 * ranks.
	 */
	readonly inTitle: readonly string[];
}

interface SearchTerm {
	/** Tokens that must follow each other. */
	readonly tokens: readonly string[];
	/** True if the last token also matches tokens that begin with it. */
	readonly isPrefix: boolean;
}

/**
 * Parses a query. Returns null if it contains no word. Invite-only tasks that the caller may find get a separate expression, so that public
 * tasks cannot push them out of the result.
 *
 * @param readerId Empty for a caller without a key.
 */
export function planSearch(query: string, { status, category, readerId }: SearchFilter): SearchPlan | null {
	const groups = parseQuery(query);
	if (groups.length === 0) return null;
	const alternatives = groups.map((group) => `(${group.map(toMatch).join(" AND ")})`).join(" OR ");
	const filters = [
		...(status === "any" ? [] : [`status : "${status}"`]),
		...(category === null ? [] : [`exact_category : "${toToken(category)}"`]),
	];
	return {
		matches: [EVERYONE, ...(readerId === "" ? [] : [toToken(readerId)])].map((reader) =>
			[`${TEXTS} : (${alternatives})`, ...filters, `readers : "${reader}"`].join(" AND "),
		),
		inTitle: groups.flat().map(({ tokens, isPrefix }) => ` ${tokens.join(" ")}${isPrefix ? "" : " "}`),
	};
}

/** Matches quoted phrases, and words between spaces, including `OR`. */
const QUERY_PARTS = /"([^"]*)(?:"|$)|([^\s"]+)/g;

/** Splits a query into groups of words and phrases. A task must match everything in at least one group. */
function parseQuery(query: string): SearchTerm[][] {
	const groups: SearchTerm[][] = [[]];
	let budget = MAX_WORDS;
	const parts = [...query.matchAll(QUERY_PARTS)];
	parts.forEach(([, phrase, word], index) => {
		if (word === "OR") groups.push([]);
		else {
			const isLast = word !== undefined && index === parts.length - 1;
			for (const term of word === undefined ? [termOf(segmentsOf(phrase ?? ""), false)] : termsOf(word, isLast)) {
				const affordable = cutTerm(term, budget);
				budget -= costOf(affordable);
				groups.at(-1)?.push(affordable);
			}
		}
	});
	return groups.map((group) => group.filter(({ tokens }) => tokens.length > 0)).filter((group) => group.length > 0);
}

function costOf({ tokens }: SearchTerm): number {
	return tokens.length > 1 ? tokens.length * PHRASE_WORD_COST : tokens.length;
}

/** Drops the words that exceed the query's budget. */
function cutTerm(term: SearchTerm, budget: number): SearchTerm {
	if (costOf(term) <= budget) return term;
	const tokens = term.tokens.slice(0, Math.floor(budget / (term.tokens.length > 1 ? PHRASE_WORD_COST : 1)));
	return { tokens, isPrefix: false };
}

/**
 * Punctuation splits a word into several terms, which may match anywhere in the task. A run of characters without punctuation stays one
 * term.
 */
function termsOf(word: string, isLast: boolean): SearchTerm[] {
	const pieces = word.match(/[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+/gu) ?? [];
	const named = pieces.map(segmentsOf).filter((segments) => segments.length > 0);
	return named.map((segments, index) => termOf(segments, isLast && index === named.length - 1));
}

function termOf(segments: readonly Segment[], isCompleted: boolean): SearchTerm {
	const last = segments.at(-1);
	if (last === undefined) return { tokens: [], isPrefix: false };
	const tokens = [...segments.slice(0, -1).flatMap(tokensOf), ...openTokensOf(last)];
	const isPrefix = last.isUnspaced ? last.letters.length === 1 : isCompleted && [...(last.letters[0] ?? "")].length >= SHORTEST_PREFIX;
	return { tokens, isPrefix };
}

function toMatch({ tokens, isPrefix }: SearchTerm): string {
	return `"${tokens.join(" ")}"${isPrefix ? " *" : ""}`;
}
