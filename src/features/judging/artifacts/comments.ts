// Finds comments, and the other parts of a file in which its author only asserts something. They do not count as a contribution or as proof
// of work.

interface CommentSyntax {
	/** These start a comment that ends with its line. */
	readonly line: readonly string[];
	/** Each pair opens and closes a comment that may span lines. */
	readonly blocks: readonly (readonly [string, string])[];
	/** These characters quote a text that may contain such marks. */
	readonly quotes: string;
}

const SLASHES: CommentSyntax = { line: ["//"], blocks: [["/*", "*/"]], quotes: "\"'`" };
const HASH: CommentSyntax = { line: ["#"], blocks: [], quotes: "\"'" };
const DASHES: CommentSyntax = { line: ["--"], blocks: [["/*", "*/"]], quotes: "\"'" };
const STYLES: CommentSyntax = { line: [], blocks: [["/*", "*/"]], quotes: "\"'" };
const MARKUP: CommentSyntax = { line: [], blocks: [["<!--", "-->"]], quotes: "" };
/** The platform asks for the same headings in every SUBMISSION.md, so they say nothing about the work. */
const SUBMISSION: CommentSyntax = { ...MARKUP, line: ["#"] };
const PLAIN: CommentSyntax = { line: [], blocks: [], quotes: "" };

const SYNTAX_BY_EXTENSION: ReadonlyMap<string, CommentSyntax> = new Map(
	(
		[
			[SLASHES, "c cc cjs cpp cs cts dart go groovy h hpp java js jsonc jsx kt m mjs mts php proto rs scala sol swift ts tsx zig"],
			[HASH, "bash cfg conf dockerfile ex exs makefile mk nix pl ps1 py r rb sh tf toml yaml yml zsh"],
			[DASHES, "elm hs lua sql"],
			[STYLES, "css less scss"],
			[MARKUP, "htm html md mdx svelte svg vue xml"],
		] as const
	).flatMap(([syntax, extensions]) => extensions.split(" ").map((extension) => [extension, syntax] as const)),
);

/** `Makefile` and `Dockerfile` have no extension, so the name counts as one. */
function syntaxOf(path: string): CommentSyntax {
	const name = (path.split("/").at(-1) ?? "").toLowerCase();
	if (name === "submission.md") return SUBMISSION;
	return SYNTAX_BY_EXTENSION.get(name.split(".").at(-1) ?? "") ?? PLAIN;
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
	for (const { from, to, isQuote } of findParts(path, text)) if (!isQuote) yield { from, to };
}

/**
 * Finds the texts in quotes of a program in their order, in time linear in its length. Data have none, because their texts are the data.
 */
export function* findQuoted(path: string, text: string): Generator<TextRange, void> {
	for (const { from, to, isQuote } of findParts(path, text)) if (isQuote) yield { from, to };
}

function* findParts(path: string, text: string): Generator<TextRange & { readonly isQuote: boolean }, void> {
	const syntax = syntaxOf(path);
	const marks = findMarks(syntax);
	if (marks === null) return;
	const closers = new CloserSearch(text);
	for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
		const [opener] = mark;
		const isQuote = syntax.quotes.includes(opener);
		const end = isQuote ? endOfQuoted(text, mark.index) : endOfComment({ text, closers, syntax }, mark);
		if (end === null) continue;
		yield { from: mark.index, to: end, isQuote };
		marks.lastIndex = end;
	}
}

/** Returns an expression that matches the start of a comment or a quoted text. Returns null for files that have neither. */
function findMarks({ line, blocks, quotes }: CommentSyntax): RegExp | null {
	const openers = [...blocks.map(([opener]) => opener), ...line, ...quotes];
	return openers.length === 0 ? null : new RegExp(openers.map((opener) => RegExp.escape(opener)).join("|"), "g");
}

/** A quoted text ends with its line at the latest, so that an apostrophe hides one line and not a file. Backticks span lines. */
function endOfQuoted(text: string, start: number): number {
	const quote = text[start];
	for (let at = start + 1; at < text.length; at += 1) {
		const character = text[at];
		if (character === "\\") at += 1;
		else if (character === quote) return at + 1;
		else if (character === "\n" && quote !== "`") return at;
	}
	return text.length;
}

/** Returns null for an opener that nothing closes: it is ordinary text, so it cannot hide the rest of a file. */
function endOfComment(
	{ text, closers, syntax }: { readonly text: string; readonly closers: CloserSearch; readonly syntax: CommentSyntax },
	{ 0: opener, index }: RegExpExecArray,
): number | null {
	const closer = syntax.blocks.find(([start]) => start === opener)?.[1];
	if (closer !== undefined) return closers.findAfter(closer, index + opener.length);
	const end = text.indexOf("\n", index);
	return end === -1 ? text.length : end;
}

/** Searches for each missing closer only once, so that a million openers without one cost one search. */
class CloserSearch {
	readonly #text: string;
	readonly #missing = new Set<string>();

	constructor(text: string) {
		this.#text = text;
	}

	/** Returns the place after the closer, or null if none follows. */
	findAfter(closer: string, from: number): number | null {
		if (this.#missing.has(closer)) return null;
		const at = this.#text.indexOf(closer, from);
		if (at === -1) this.#missing.add(closer);
		return at === -1 ? null : at + closer.length;
	}
}

/** A docstring of Python is a long text that begins a statement. */
const DOCSTRING = /^[ \t]*(?:[rRuU]?)("""|''')[\s\S]*?(?:\1|$(?![\s\S]))/gm;

const MANIFEST =
	/(?:^|\/)(?:package\.json|composer\.json|deno\.jsonc?|bower\.json|manifest\.json|pyproject\.toml|cargo\.toml|setup\.cfg|setup\.py|pubspec\.ya?ml|.*\.(?:gemspec|nuspec|cabal))$/i;
/** This pattern matches a field of a manifest that is written for people, with its value: a list, a text, or the rest of the line. */
const DESCRIPTION =
	/(?<![\w-])["']?(?:description|summary|keywords|title|name|author|authors|contributors|homepage|readme|long_description|synopsis|categories|classifiers)["']?[ \t]*[:=][ \t]*(?:\[[^\]]*\]|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\n]*)/gi;

/** Finds the parts of a file that prove nothing about the work, in any order, in time linear in its length. They may overlap. */
export function* findClaimedParts(path: string, text: string): Generator<TextRange, void> {
	yield* findComments(path, text);
	if (/\.pyi?$/i.test(path)) yield* matchesOf(DOCSTRING, text);
	if (MANIFEST.test(path)) yield* matchesOf(DESCRIPTION, text);
}

function* matchesOf(pattern: RegExp, text: string): Generator<TextRange, void> {
	for (const { 0: match, index } of text.matchAll(pattern)) yield { from: index, to: index + match.length };
}
