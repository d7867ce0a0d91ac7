// Headings in users' Markdown begin one level below the page's own headings and skip no level, because users of screen readers navigate by
// headings.
import type { Nodes } from "mdast";

/** The number of levels that the page's own headings use. */
const PAGE_LEVELS = 2;
const MAX_DEPTH = 6;

/** Gives each heading the level below its parent heading, so that no level is skipped. Changes `tree` itself. */
export function levelHeadings(tree: Nodes): void {
	const open: number[] = [];
	const visit = (node: Nodes) => {
		if (node.type === "heading") {
			while ((open.at(-1) ?? 0) >= node.depth) open.pop();
			open.push(node.depth);
			node.depth = toDepth(PAGE_LEVELS + open.length);
		}
		if ("children" in node) for (const child of node.children) visit(child);
	};
	visit(tree);
}

const DEPTHS = [3, 4, 5, MAX_DEPTH] as const;

const toDepth = (level: number) => DEPTHS[level - PAGE_LEVELS - 1] ?? MAX_DEPTH;
