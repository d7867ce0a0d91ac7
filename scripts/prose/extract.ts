// Finds what people read in a file: comments, string literals that are sentences, names of tests, and paragraphs of Markdown.

export interface Prose {
	readonly line: number;
	readonly text: string;
	readonly isComment: boolean;
}

/** The tokens of each kind of file. A comment of several lines that begin with // or # is one token. */
const TOKENS: readonly (readonly [files: RegExp, token: RegExp])[] = [
	[/\.(?:ts|tsx|mts|mjs)$/, /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*|\/\*[\s\S]*?\*\//g],
	[/\.py$/, /"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*(?:\n\s*#[^\n]*)*/g],
	[/\.css$/, /\/\*[\s\S]*?\*\//g],
	[/\.(?:toml|ya?ml|sh)$|Dockerfile$|\.ci\/run$/, /(?<![^\s])#(?!!)[^\n]*(?:\n\s*#[^\n]*)*/g],
];
/** A string is the name of a test if it follows one of these, or the table of a test. */
const BEFORE_A_NAME = /(?:\b(?:it|describe)(?:\.\w+)*|\))\(\s*$/;
/** Texts of fewer words than this are names and keys. */
const MIN_WORDS = 3;

/** Returns the comments and sentences of a source file or the paragraphs of a Markdown file, each with its first line from 1. */
export function findProse(path: string, source: string): Prose[] {
	if (/\.mdx?$/.test(path)) return readMarkdown(source);
	const [, token] = TOKENS.find(([files]) => files.test(path)) ?? [];
	if (token === undefined) return [];
	const prose = readCode(source, token);
	// Strings of tests are input of any kind, so only the names of tests are prose there.
	return path.startsWith("test/") ? prose.filter(({ isComment, isName }) => isComment || isName) : prose;
}

function readCode(source: string, pattern: RegExp): (Prose & { readonly isName: boolean })[] {
	const prose = [...source.matchAll(pattern)].map(({ 0: token, index }) => ({
		line: source.slice(0, index).split("\n").length,
		text: unwrap(token),
		isComment: /^(?:\/[/*]|#|""")/.test(token),
		isName: BEFORE_A_NAME.test(source.slice(Math.max(0, index - 100), index)),
	}));
	return prose.filter(({ text }) => text.split(/\s+/).length >= MIN_WORDS);
}

function unwrap(token: string): string {
	return token
		.replace(/^\/\*\*?|\*\/$|^"""|"""$/g, "")
		.replace(/^\/\/|^#/, "")
		.replace(/^["'`]|["'`]$/g, "")
		.replace(/\n\s*(?:\*|\/\/|#)/g, " ")
		.replace(/\s+/g, " ")
		.trim();
}

/** Returns prose outside of code and outside of `<!-- prose: off -->` … `<!-- prose: on -->`. */
function readMarkdown(source: string): Prose[] {
	let isCode = false;
	let isOff = false;
	return source.split("\n").flatMap((text, index) => {
		if (/^\s*(```|~~~)/.test(text)) isCode = !isCode;
		if (text.startsWith("<!-- prose: ")) isOff = text.startsWith("<!-- prose: off");
		return isCode || isOff ? [] : [{ line: index + 1, text: text.replace(/`[^`]*`/g, "code"), isComment: false }];
	});
}
