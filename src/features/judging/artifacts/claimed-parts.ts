// Finds the parts of a program or a manifest in which the author only asserts something: comments and descriptions.
import { findComments, type TextRange } from "./comments.ts";

/** Documentation of Python is such a text that begins a statement. */
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
