// Finds the comments of a file, which do not count as a contribution.
import { foldLook } from "./paths.ts";

interface CommentSyntax {
	/** These start a comment that ends with its line. */
	readonly line: readonly string[];
	/** These start a comment only as the first characters of a line, because elsewhere they mean something else. */
	readonly starts: readonly string[];
	/** Each pair opens and closes a comment that may span lines. */
	readonly blocks: readonly (readonly [string, string])[];
	/** These quote a text that may contain such marks. */
	readonly quotes: readonly string[];
	/** A block may contain another one, and ends after it. */
	readonly nests?: true;
	/** A backslash at the end of a line continues its comment on the next line. */
	readonly continues?: true;
}

const C_BLOCK = ["/*", "*/"] as const;
const PLAIN: CommentSyntax = { line: [], starts: [], blocks: [], quotes: [] };
const SLASHES: CommentSyntax = { ...PLAIN, line: ["//"], blocks: [C_BLOCK], quotes: ['"', "'", "`"] };
const HASH: CommentSyntax = { ...PLAIN, line: ["#"], quotes: ['"""', "'''", '"', "'"] };
const DASHES: CommentSyntax = { ...PLAIN, line: ["--"], quotes: ['"', "'"] };
const STYLES: CommentSyntax = { ...PLAIN, starts: ["//"], blocks: [C_BLOCK], quotes: ['"', "'"] };
const MARKUP: CommentSyntax = { ...PLAIN, blocks: [["<!--", "-->"]] };
/** The platform asks for the same headings in every SUBMISSION.md, so they say nothing about the work. */
const SUBMISSION: CommentSyntax = { ...MARKUP, line: ["#"] };
/** Files of a language without an entry have the marks that most languages use. */
const UNKNOWN: CommentSyntax = {
	line: [],
	starts: ["//", "#", "--", ";", "%", "!", "'", "REM "],
	blocks: [
		C_BLOCK,
		["<!--", "-->"],
		["(*", "*)"],
		["{-", "-}"],
		["{#", "#}"],
		["{{!", "}}"],
		["<%#", "%>"],
		["<%--", "--%>"],
		["@*", "*@"],
	],
	quotes: ['"', "`"],
};

const SYNTAX_BY_ENDING: ReadonlyMap<string, CommentSyntax> = new Map(
	(
		[
			[SLASHES, "cjs cs cts go gradle groovy java jenkinsfile js json5 jsonc jsx mjs mod mts prisma proto sol ts tsx v zig"],
			[{ ...SLASHES, continues: true }, "c cc cpp cu cuh glsl h hpp"],
			[{ ...SLASHES, nests: true }, "dart kt rs scala swift wgsl"],
			[{ ...SLASHES, starts: ["%"], continues: true }, "m"],
			[{ ...SLASHES, line: ["//", "#"] }, "hcl php tf"],
			[
				HASH,
				"bash brewfile cmake cmakelists.txt conf containerfile dockerfile env ex exs gemfile graphql justfile pipfile procfile py pyi r rakefile requirements.txt sh tcl toml vagrantfile yaml yml zsh",
			],
			[{ ...HASH, continues: true }, "makefile mk"],
			[{ ...HASH, starts: [";", "!"] }, "cfg editorconfig ini properties"],
			[{ ...HASH, blocks: [C_BLOCK] }, "nix"],
			[{ ...HASH, blocks: [["=begin", "=end"]] }, "rb"],
			[
				{
					...HASH,
					blocks: [
						["=pod", "=cut"],
						["=head1", "=cut"],
					],
				},
				"pl pm",
			],
			[{ ...HASH, blocks: [["<#", "#>"]] }, "ps1"],
			[{ ...HASH, blocks: [["#=", "=#"]], nests: true }, "jl"],
			[{ ...HASH, blocks: [["#[", "]#"]], nests: true }, "nim"],
			[{ ...HASH, blocks: [["###", "###"]] }, "coffee"],
			[{ ...DASHES, blocks: [C_BLOCK], nests: true, starts: ["# "] }, "sql"],
			[{ ...DASHES, blocks: [C_BLOCK] }, "vhdl"],
			[{ ...DASHES, blocks: [["{-", "-}"]], quotes: ['"'], nests: true }, "elm hs"],
			[{ ...DASHES, blocks: [["--[[", "]]"]] }, "lua"],
			[{ ...PLAIN, blocks: [["(*", "*)"]], quotes: ['"'], nests: true }, "ml mli"],
			[{ ...PLAIN, line: ["//"], blocks: [["(*", "*)"]], quotes: ['"'], nests: true }, "fs fsx"],
			[
				{
					...PLAIN,
					line: ["//"],
					blocks: [
						["{", "}"],
						["(*", "*)"],
					],
					quotes: ["'"],
				},
				"pas",
			],
			[{ ...PLAIN, line: [";"], blocks: [["#|", "|#"]], quotes: ['"'], nests: true }, "clj cljs el lisp rkt scm"],
			[{ ...PLAIN, line: [";;"], blocks: [["(;", ";)"]], quotes: ['"'] }, "wat"],
			[{ ...PLAIN, line: ["%"], quotes: ['"'] }, "erl"],
			[{ ...PLAIN, line: ["!"], quotes: ['"', "'"] }, "f90"],
			[{ ...PLAIN, line: ["'"], starts: ["REM ", "Rem "], quotes: ['"'] }, "vb"],
			[{ ...PLAIN, starts: ["REM ", "@REM ", "rem ", "@rem ", "::"] }, "bat cmd"],
			[STYLES, "css less sass scss"],
			[MARKUP, "md mdx plist svg xml"],
			[{ ...MARKUP, starts: ["//", "/*"], blocks: [...MARKUP.blocks, C_BLOCK] }, "astro htm html svelte vue"],
			[{ ...PLAIN, starts: ["//", "/*"], blocks: [C_BLOCK] }, "json"],
			[{ ...PLAIN, starts: ["#"] }, "po"],
			[PLAIN, "csv dat geojson ipynb jsonl ndjson tsv txt"],
		] as const
	).flatMap(([syntax, endings]) => endings.split(" ").map((ending) => [ending, syntax] as const)),
);

/** `Makefile` and `Dockerfile` have no ending, so the name counts as one. */
function syntaxOf(path: string): CommentSyntax {
	const name = (foldLook(path).split("/").at(-1) ?? "").toLowerCase();
	if (name === "submission.md") return SUBMISSION;
	return SYNTAX_BY_ENDING.get(name) ?? SYNTAX_BY_ENDING.get(name.split(".").at(-1) ?? "") ?? UNKNOWN;
}

/** The places of a range count UTF-16 units. */
export interface TextRange {
	readonly from: number;
	/** The range ends before this place. */
	readonly to: number;
}

/**
 * Finds the comments of a file in their order, in time linear in its length. Something inside quotes is not a comment.
 *
 * @param path The ending determines which comments the file may have.
 */
export function* findComments(path: string, text: string): Generator<TextRange, void> {
	for (const { from, to, isQuote } of findParts(syntaxOf(path), text)) if (!isQuote) yield { from, to };
}

/**
 * Finds comments that begin a line, also inside quotes. Only a parser knows all quotes of a language: an expression such as /`/ looks like
 * the start of one, and could make the comments below it look like quoted text.
 */
export function* findLeadingComments(path: string, text: string): Generator<TextRange, void> {
	const { line, starts, blocks, ...others } = syntaxOf(path);
	const leading = [...blocks.map(([opener]) => opener), ...line, ...starts];
	for (const { from, to } of findParts({ ...others, line: [], starts: leading, blocks, quotes: [] }, text)) yield { from, to };
}

/**
 * Finds the texts in quotes of a program in their order, in time linear in its length. Data have none, because their texts are the data.
 */
export function* findQuoted(path: string, text: string): Generator<TextRange, void> {
	for (const { from, to, isQuote } of findParts(syntaxOf(path), text)) if (isQuote) yield { from, to };
}

function* findParts(syntax: CommentSyntax, text: string): Generator<TextRange & { readonly isQuote: boolean }, void> {
	const marks = findMarks(syntax);
	if (marks === null) return;
	const closers = new CloserSearch(text);
	const quotes = new QuoteSearch(text);
	for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
		const [opener] = mark;
		const isQuote = syntax.quotes.includes(opener);
		const end = isQuote ? quotes.endOf(opener, mark.index) : endOfComment({ text, closers, syntax }, mark);
		if (end === null) continue;
		yield { from: mark.index, to: end, isQuote };
		marks.lastIndex = end;
	}
}

/** Returns an expression that matches the start of a comment or a quoted text. Returns null for files that have neither. */
function findMarks({ line, starts, blocks, quotes }: CommentSyntax): RegExp | null {
	const openers = blocks.map(([opener]) => opener).filter((opener) => !starts.includes(opener));
	const anywhere = [...openers, ...line, ...quotes].map((opener) => RegExp.escape(opener));
	// The look back begins only after such a mark, so that a long row of spaces is not searched from each of them.
	const first = starts.map((opener) => RegExp.escape(opener)).map((opener) => `${opener}(?<=^[ \\t]*${opener})`);
	const patterns = [...anywhere, ...first];
	return patterns.length === 0 ? null : new RegExp(patterns.join("|"), "gm");
}

/** Texts in these quotes end with their line, and others span lines. */
const ONE_LINE: ReadonlySet<string> = new Set(['"', "'"]);

/** Searches for the end of quoted texts. Text without one is searched once for each kind of quote. */
class QuoteSearch {
	readonly #text: string;
	/** Up to this place nothing closes a quote of the kind. */
	readonly #openUntil = new Map<string, number>();

	constructor(text: string) {
		this.#text = text;
	}

	/** Returns null for an apostrophe, and for another quote that nothing closes. */
	endOf(quote: string, start: number): number | null {
		if (start < (this.#openUntil.get(quote) ?? 0)) return null;
		let at = start + quote.length;
		for (; at < this.#text.length; at += 1) {
			if (this.#text[at] === "\\") at += 1;
			else if (this.#text.startsWith(quote, at)) return at + quote.length;
			else if (this.#text[at] === "\n" && ONE_LINE.has(quote)) break;
		}
		this.#openUntil.set(quote, at);
		return null;
	}
}

/** Returns null for an opener that nothing closes: it is ordinary text, so it cannot hide the rest of a file. */
function endOfComment(
	{ text, closers, syntax }: { readonly text: string; readonly closers: CloserSearch; readonly syntax: CommentSyntax },
	{ 0: opener, index }: RegExpExecArray,
): number | null {
	const closer = syntax.blocks.find(([start]) => start === opener)?.[1];
	if (closer !== undefined) {
		// Unbalanced blocks are not of the language, so the first closer ends them.
		const balanced = syntax.nests ? closers.findBalanced([opener, closer], index) : null;
		return balanced ?? closers.findAfter(closer, index + opener.length);
	}
	let end = text.indexOf("\n", index);
	while (syntax.continues && end !== -1 && /\\\r?$/.test(text.slice(end - 2, end))) end = text.indexOf("\n", end + 1);
	return end === -1 ? text.length : end;
}

/** Searches for each missing closer only once, so that a million openers without one cost one search. */
class CloserSearch {
	readonly #text: string;
	readonly #missing = new Set<string>();
	/** For each opener, the ends of its balanced blocks by their starts. */
	readonly #balanced = new Map<string, ReadonlyMap<number, number>>();

	constructor(text: string) {
		this.#text = text;
	}

	/** Returns the place after the closer that belongs to the opener at a place, or null if none does. */
	findBalanced([opener, closer]: readonly [string, string], at: number): number | null {
		const ends = this.#balanced.get(opener) ?? balance(this.#text, [opener, closer]);
		this.#balanced.set(opener, ends);
		return ends.get(at) ?? null;
	}

	/** Returns the place after the closer, or null if none follows. */
	findAfter(closer: string, from: number): number | null {
		if (this.#missing.has(closer)) return null;
		const at = this.#text.indexOf(closer, from);
		if (at === -1) this.#missing.add(closer);
		return at === -1 ? null : at + closer.length;
	}
}

/** Finds the end of each block that is closed, with the blocks inside it. */
function balance(text: string, [opener, closer]: readonly [string, string]): ReadonlyMap<number, number> {
	const ends = new Map<number, number>();
	const open: number[] = [];
	for (const { 0: mark, index } of text.matchAll(new RegExp(`${RegExp.escape(opener)}|${RegExp.escape(closer)}`, "g"))) {
		if (mark === opener) open.push(index);
		else {
			const start = open.pop();
			if (start !== undefined) ends.set(start, index + closer.length);
		}
	}
	return ends;
}
