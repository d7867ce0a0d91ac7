// Limits on Markdown that users write. Without them, a few kilobytes could keep the parser busy for minutes or become megabytes of HTML.
// The Worker's pages and the console show Markdown that exceeds the limits as plain text.
import type { Nodes, Table } from "mdast";

/** How deeply quotes and lists may be nested. More levels would overflow the parser's stack. */
const MAX_NESTING = 24;
/** The maximum number of quotes and lists that all lines together may open. For each line, the parser copies those that are open. */
const MAX_CONTAINERS = 2_500;
/** The maximum number of lines. Parsing headings and one-line paragraphs takes quadratic time, about 150 ms for this many. */
const MAX_LINES = 1_000;
/** The maximum number of emphasis marks and brackets. Pairing them takes quadratic time, about 50 ms for this many. */
const MAX_DELIMITERS = 1_500;
/** The maximum number of `<!` and `<?`. For each that is not closed, the parser reads to the end of the paragraph: 50 ms for this many. */
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
 * Returns true if parsed Markdown has few enough elements to be shown. Every row of a table counts as many cells as the longest row,
 * because shorter rows are filled up.
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
