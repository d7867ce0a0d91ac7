// Finds what people read in a source file: comments, and string literals that are sentences.

export interface Prose {
	readonly line: number;
	readonly text: string;
}

const TOKEN = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
/** Texts of fewer words than this are names and keys. */
const MIN_WORDS = 3;

/** Returns the comments and sentences of a source file or the paragraphs of a Markdown file, each with its first line from 1. */
export function findProse(path: string, source: string): Prose[] {
	return /\.mdx?$/.test(path) ? readMarkdown(source) : readCode(source);
}

function readCode(source: string): Prose[] {
	const prose = [...source.matchAll(TOKEN)].map(({ 0: token, index }) => ({
		line: source.slice(0, index).split("\n").length,
		text: unwrap(token),
	}));
	return prose.filter(({ text }) => text.split(/\s+/).length >= MIN_WORDS);
}

function unwrap(token: string): string {
	return token
		.replace(/^\/\*\*?|\*\/$/g, "")
		.replace(/^\/\//, "")
		.replace(/^["'`]|["'`]$/g, "")
		.replace(/\n\s*\*/g, " ")
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
		return isCode || isOff ? [] : [{ line: index + 1, text: text.replace(/`[^`]*`/g, "code") }];
	});
}
