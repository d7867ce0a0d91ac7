// Finds the parts of a file in which its author only asserts something. They prove nothing about the work.
import { findComments, findLeadingComments, type TextRange } from "./comments.ts";
import { foldLook } from "./kinds.ts";

/** A docstring of Python is a long text that begins a statement. Elixir has one after `@doc`, and GraphQL before a definition. */
const DOCSTRING = /^[ \t]*(?:@(?:module|type)?doc[ \t]+~?)?[a-zA-Z]{0,2}("""|''')[\s\S]*?(?:\1|$(?![\s\S]))/gm;

/** These comments have ends that only a pattern describes. One that nothing closes reaches to the end of the file, as in the language. */
const LONG_COMMENTS = [
	{ path: /\.lua$/i, pattern: /--\[(=*)\[[\s\S]*?(?:\]\1\]|$)/g },
	{ path: /(?:\.cmake|(?:^|\/)CMakeLists\.txt)$/i, pattern: /#\[(=*)\[[\s\S]*?(?:\]\1\]|$)/g },
	{ path: /\.(?:pl|pm|pod|t)$/i, pattern: /^=[a-z][\s\S]*?(?:^=cut.*|$(?![\s\S]))/gim },
	{ path: /\.m$/i, pattern: /^[ \t]*%\{[ \t]*$[\s\S]*?(?:^[ \t]*%\}|$(?![\s\S]))/gm },
	{ path: /\.(?:html?|md|mdx|svg|xml|vue|svelte|astro)$/i, pattern: /^[ \t]*<!--[\s\S]*?(?:--!?>|$(?![\s\S]))/gm },
] as const;

const MANIFEST =
	/(?:^|\/)(?:package\.json|composer\.json|deno\.jsonc?|bower\.json|manifest\.json|pyproject\.toml|cargo\.toml|setup\.cfg|setup\.py|pubspec\.ya?ml|.*\.(?:gemspec|nuspec|cabal))$/i;
/** This pattern matches a field of a manifest that is written for people, with its value: a list, a text, or the rest of the line. */
const DESCRIPTION =
	/(?<![\w-])["']?(?:description|summary|keywords|title|name|author|authors|contributors|homepage|readme|long_description|synopsis|categories|classifiers)["']?[ \t]*[:=][ \t]*(?:\[[^\]]*\]?|"""[\s\S]*?(?:"""|$)|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\n]*)/gi;

/** Finds the parts of a file that prove nothing about the work, in any order, in time linear in its length. They may overlap. */
export function* findClaimedParts(path: string, text: string): Generator<TextRange, void> {
	const shown = foldLook(path);
	yield* findComments(shown, text);
	yield* findLeadingComments(shown, text);
	for (const { path: paths, pattern } of LONG_COMMENTS) if (paths.test(shown)) yield* matchesOf(pattern, text);
	if (/\.(?:pyi?|exs?|graphql)$/i.test(shown)) yield* matchesOf(DOCSTRING, text);
	if (MANIFEST.test(shown)) yield* matchesOf(DESCRIPTION, text);
	if (/\.ipynb$/i.test(shown)) yield* findNotebookClaims(text);
}

function* matchesOf(pattern: RegExp, text: string): Generator<TextRange, void> {
	for (const { 0: match, index } of text.matchAll(pattern)) yield { from: index, to: index + match.length };
}

/** An object of a notebook that is still open. */
interface OpenObject {
	key: string;
	isCode: boolean;
}

/** Matches texts, and the tokens of JSON that say where they are. A text that nothing closes ends with its line, so none is read twice. */
const JSON_TOKEN = /"(?:[^"\\\n]|\\.)*"?|[{}]/g;
const COLON = /^[ \t\r\n]{0,9}:/;

/**
 * Finds the texts of a notebook that are not the source of a cell of code, and the comments of those that are. The type of a cell comes
 * before its source, as Jupyter writes it. The beginning of a notebook is enough, because long files are cut.
 */
function* findNotebookClaims(text: string): Generator<TextRange, void> {
	const open: OpenObject[] = [];
	for (const { 0: token, index } of text.matchAll(JSON_TOKEN)) {
		const to = index + token.length;
		if (token === "{") open.push({ key: "", isCode: false });
		else if (token === "}") open.pop();
		else if (COLON.test(text.slice(to, to + 10))) setKey(open.at(-1), token);
		else if (isCodeSource(open.at(-1), token) && isCell(open)) yield* findCommentsOfCell(token, index);
		else yield { from: index, to };
	}
}

function setKey(object: OpenObject | undefined, literal: string): void {
	if (object !== undefined) object.key = literal.slice(1, -1);
}

/** Returns true for a line of code. A text that is the type of a cell decides about those that follow. */
function isCodeSource(object: OpenObject | undefined, literal: string): boolean {
	if (object?.key === "cell_type") object.isCode = literal === '"code"';
	return object?.key === "source" && object.isCode;
}

/** An output or an attachment can contain an object that looks like a cell. */
function isCell(open: readonly OpenObject[]): boolean {
	return open.slice(0, -1).every(({ key }) => key === "cells" || key === "worksheets");
}

const ESCAPE = /\\(?:u([0-9a-f]{4})|(.))/gis;
const ENDS_LINE = /[nr]/;

/** Finds the comments of code in a JSON string. A decoded escape is padded to its length, so that ranges stay those of the file. */
function* findCommentsOfCell(literal: string, at: number): Generator<TextRange, void> {
	const code = literal.slice(1, -1).replace(ESCAPE, (all: string, hex: string | undefined, character = "") => {
		const shown = hex === undefined ? (ENDS_LINE.test(character) ? "\n" : character) : String.fromCharCode(Number.parseInt(hex, 16));
		return shown.padStart(all.length, " ");
	});
	for (const { from, to } of findClaimedParts("cell.py", code)) yield { from: at + 1 + from, to: at + 1 + to };
}
