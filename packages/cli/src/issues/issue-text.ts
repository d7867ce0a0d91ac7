// Finds the parts of an issue's text. Strangers write issues, and a person who sets a label reads what GitHub shows. So the text is parsed
// in the way that GitHub parses it, and what GitHub hides is ignored.
import { fromMarkdown } from "mdast-util-from-markdown";
import { usageError } from "../core/exit-codes.ts";
import { HIDDEN_CHARACTERS, isOrdinaryMarkdown } from "../core/sdk.ts";

export interface IssueText {
	/** The YAML of the bounty block, or null without one. */
	readonly terms: string | null;
	readonly description: string;
	/** The text below the heading "Input". Empty without that heading. */
	readonly input: string;
	/** The text below the heading "Output". Empty without that heading. */
	readonly output: string;
}

/** GitHub's own limit is 65,536 characters. */
const MAX_CHARACTERS = 100_000;
const HIDDEN = new RegExp(`(?![\\n\\t])[${HIDDEN_CHARACTERS}]`, "g");
/** Matches HTML comments in the only form that every browser ends where Markdown ends it. */
const PLAIN_COMMENTS = /^(?:\s*<!--(?!-?>)(?:(?!--!?>)[\s\S])*-->)*\s*$/;
const SECTIONS = new Map<string, Section>([
	["input", "input"],
	["output", "output"],
]);

type Root = ReturnType<typeof fromMarkdown>;
type Section = "description" | "input" | "output";
/** Any part of a parsed text. */
interface Node {
	readonly type: string;
	readonly position?: Root["position"];
	readonly children?: readonly Node[];
	readonly value?: string;
}
/** A part of the text, from one offset up to another. */
interface Range {
	readonly start: number;
	readonly end: number;
}

/** Removes characters that control a terminal or change the order in which text is shown. Line ends and tabs stay. */
export function cleanText(text: string): string {
	return text.replace(/\r\n?/g, "\n").replace(HIDDEN, "").toWellFormed();
}

/**
 * Reads the body of an issue.
 *
 * @throws CommandError if the text is too long or nested too deeply, or has a bounty block in the wrong place.
 */
export function readIssueText(body: string): IssueText {
	const text = cleanText(body).replace(/^\ufeff/, "");
	if (text.length > MAX_CHARACTERS || !isOrdinaryMarkdown(text)) {
		throw usageError("The issue's text is too long, or is nested too deeply, to be read as Markdown.");
	}
	const tree = fromMarkdown(text);
	const html = findHtml(tree);
	const block = findBountyBlock(tree, { text, html });
	return { terms: block?.value ?? null, ...readSections(tree, { text, block, hidden: findComments(text, html) }) };
}

interface Surroundings {
	readonly text: string;
	readonly html: readonly Range[];
}

function findBountyBlock({ children }: Root, { text, html }: Surroundings) {
	const fenced = children.filter((node) => node.type === "code").filter((node) => /^[`~]/.test(text.slice(rangeOf(node).start)));
	const blocks = fenced.filter(({ lang }) => lang?.toLowerCase() === "bounty");
	const [block] = blocks;
	if (block === undefined) return null;
	if (blocks.length > 1) throw usageError("The issue has more than one bounty block.");
	if (block !== fenced[0]) throw usageError("The bounty block must be the first fenced block of the issue.");
	const { start } = rangeOf(block);
	const canHide = (range: Range) => range.start < start && !PLAIN_COMMENTS.test(text.slice(range.start, range.end));
	if (html.some(canHide)) throw usageError("The bounty block must come before any HTML, because HTML can hide it.");
	return block;
}

function findHtml(node: Node): Range[] {
	if (node.type === "html") return [rangeOf(node)];
	return node.children?.flatMap(findHtml) ?? [];
}

/** Finds the comments in HTML. As in a browser, an unclosed comment continues after its HTML ends. */
function findComments(text: string, html: readonly Range[]): Range[] {
	const comments: Range[] = [];
	for (const { start, end } of html) {
		let at = text.indexOf("<!--", Math.max(start, comments.at(-1)?.end ?? 0));
		while (at !== -1 && at < end) {
			const closing = text.indexOf("-->", at + 4);
			const comment = { start: at, end: closing === -1 ? text.length : closing + 3 };
			comments.push(comment);
			at = text.indexOf("<!--", comment.end);
		}
	}
	return comments;
}

interface Shown {
	readonly text: string;
	readonly block: Node | null;
	readonly hidden: readonly Range[];
}

/** The heading that a node is below, if it begins a part. */
interface Place {
	readonly section: Section;
	readonly heading: { readonly depth: number } | null;
}

const OUTSIDE: Place = { section: "description", heading: null };

/** A heading "Input" or "Output" begins a part, which ends before the next heading of its level or above. */
function readSections({ children }: Root, { text, block, hidden }: Shown): Omit<IssueText, "terms"> {
	const parts = { description: "", input: "", output: "" };
	let place = OUTSIDE;
	for (const [index, node] of children.entries()) {
		const shown = node === block ? "" : cut(text, { start: lineStart(text, node), end: lineStart(text, children[index + 1]) }, hidden);
		// A comment shows nothing, even if its text looks like a heading.
		if (shown.trim() !== "") place = findPlace(place, node);
		if (place.heading !== node) parts[place.section] += toLines(shown);
	}
	return { description: trimLines(parts.description), input: trimLines(parts.input), output: trimLines(parts.output) };
}

/** Returns the text as whole lines. A part that is left out becomes an empty line, so that its neighbours stay apart. */
function toLines(shown: string): string {
	if (shown.trim() === "") return "\n";
	return shown.endsWith("\n") ? shown : `${shown}\n`;
}

function findPlace(before: Place, node: Root["children"][number]): Place {
	if (node.type !== "heading") return before;
	const section = SECTIONS.get(wordsOf(node).trim().replace(/:$/, "").toLowerCase());
	if (section !== undefined) return { section, heading: node };
	return before.heading !== null && node.depth <= before.heading.depth ? OUTSIDE : before;
}

/** Returns a part of the text without its comments. */
function cut(text: string, { start, end }: Range, hidden: readonly Range[]): string {
	let at = start;
	let kept = "";
	for (const comment of hidden) {
		if (comment.end <= at || comment.start >= end) continue;
		kept += text.slice(at, Math.max(at, comment.start));
		at = Math.min(end, comment.end);
	}
	return kept + text.slice(at, end);
}

function wordsOf({ type, value, children }: Node): string {
	if (value !== undefined) return type === "html" ? "" : value;
	return children?.map(wordsOf).join("") ?? "";
}

/** Removes empty lines at both ends. An indented first line is code, so its indentation stays. */
function trimLines(text: string): string {
	return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

/** Returns the start of the line in which a node begins, because the indentation of code is not a part of its node. */
function lineStart(text: string, node: Node | undefined): number {
	if (node === undefined) return text.length;
	const { start } = rangeOf(node);
	return start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
}

function rangeOf({ position }: Node): Range {
	const { start, end } = position ?? {};
	if (start?.offset === undefined || end?.offset === undefined) throw new TypeError("A parsed text has positions.");
	return { start: start.offset, end: end.offset };
}
