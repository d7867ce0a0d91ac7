// Limits on users' Markdown, so that a few kilobytes of text cannot cause minutes of work or megabytes of elements. The Worker's pages and the console share these limits. A text over a limit is shown as plain text.
import type { Nodes, Table } from "mdast";

/** Quotes and lists that are nested deeper overflow the parser's stack. */
const MAX_NESTING = 24;
/** The lines may open this many quotes and lists together, because the parser copies the open ones for each line. */
const MAX_CONTAINERS = 2_500;
/** Headings and paragraphs of a line each take time that grows with the square of their number: these take some 150 ms. */
const MAX_LINES = 1_000;
/** Pairing emphasis and brackets takes time that grows with the square of their number: these take some 50 ms. */
const MAX_DELIMITERS = 1_500;
/** The parser reads to the end of a paragraph from each of these that is not closed: this many take some 50 ms. */
const MAX_DECLARATIONS = 100;
/** A shown text has at most this many elements and texts. Each becomes up to 100 bytes of a page. */
const MAX_NODES = 5_000;

/** Returns true for a text that a person may have written as Markdown, and false for one that keeps the parser busy. */
export function isOrdinaryMarkdown(text: string): boolean {
	const delimiters = text.match(/([*_~[\]])\1*/g)?.length ?? 0;
	const declarations = text.match(/<[?!]/g)?.length ?? 0;
	const lines = text.split("\n");
	const containers = lines.map(countContainers);
	return (
		delimiters <= MAX_DELIMITERS &&
		declarations <= MAX_DECLARATIONS &&
		lines.length <= MAX_LINES &&
		containers.every((count) => count <= MAX_NESTING) &&
		containers.reduce((sum, count) => sum + count, 0) <= MAX_CONTAINERS
	);
}

/** Counts the quotes and lists that a line opens. */
function countContainers(line: string): number {
	const marker = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))/y;
	let count = 0;
	while (marker.test(line)) count += 1;
	return count;
}

/** Returns true for a parsed text whose elements are few enough to be shown. A short row of a table counts as wide as its header, because it is filled up. */
export function isShowable(tree: Nodes): boolean {
	const waiting: Nodes[] = [tree];
	let count = 0;
	for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
		count += node.type === "table" ? countCells(node) : 1;
		if (count > MAX_NODES) return false;
		if ("children" in node) waiting.push(...node.children);
	}
	return true;
}

function countCells({ children }: Table): number {
	return children.length * Math.max(...children.map((row) => row.children.length));
}
