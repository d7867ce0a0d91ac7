// Limits on users' Markdown. Without them, a few kilobytes could cause minutes of work or megabytes of elements. The Worker's
// pages and the console have the same limits. Markdown that exceeds them is shown as plain text.
import type { Nodes, Table } from "mdast";

/** More deeply nested quotes and lists would overflow the parser's stack. */
const MAX_NESTING = 24;
/** The total number of quotes and lists that lines may open, because the parser copies all open ones for each line. */
const MAX_CONTAINERS = 2_500;
/** Parsing headings and one-line paragraphs takes time quadratic in their number. This many take about 150 ms. */
const MAX_LINES = 1_000;
/** Pairing emphasis and brackets takes time quadratic in their number. This many take about 50 ms. */
const MAX_DELIMITERS = 1_500;
/** For each of these that is not closed, the parser reads to the end of the paragraph. This many take about 50 ms. */
const MAX_DECLARATIONS = 100;
/** The maximum number of elements and text nodes in rendered Markdown. Each takes up to 100 bytes on a page. */
const MAX_NODES = 5_000;

/** Returns true if Markdown is within the limits, and false if it would keep the parser busy. */
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

/**
 * Returns true if parsed Markdown has few enough elements to be shown.
 * A short table row counts as many cells as the header, because it is padded.
 */
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
