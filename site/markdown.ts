// A documentation page's Markdown as HTML: headings with anchors, highlighted code, tables that scroll by themselves.
import type { Element, ElementContent, Root as HtmlRoot } from "hast";
import type { Root } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import rehypeHighlight from "rehype-highlight";
import rehypeSlug from "rehype-slug";
import rehypeStringify from "rehype-stringify";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { visit } from "unist-util-visit";
import { CommandError } from "../scripts/support/command.ts";
import { dropPunctuation, frameCode, HIGHLIGHTING, hideBaseUrl, showBaseUrl } from "./code-blocks.ts";
import { element } from "./element.ts";

export interface Heading {
	readonly id: string;
	readonly level: 2 | 3;
	readonly text: string;
}

export interface RenderedMarkdown {
	readonly html: string;
	/** What a table of contents shows, in the page's order. */
	readonly headings: readonly Heading[];
}

export interface MarkdownSource {
	readonly tree: Root;
	/** Names the page in messages. */
	readonly filePath: string;
}

const BASE_URL_IN_LINK = /^(?:\{base_url\}|%7Bbase_url%7D)(?=\/|$)/i;
const SAFE_LINK = /^(?:https?:\/\/|mailto:|#|\/(?!\/))/;

const renderer = unified()
	.use(remarkRehype)
	.use(rehypeSlug)
	.use(() => hideBaseUrl)
	.use(rehypeHighlight, HIGHLIGHTING)
	.use(() => showBaseUrl)
	.use(() => dropPunctuation)
	.use(() => frameCode)
	.use(() => frameTables)
	.use(() => linkHeadings);
const printer = unified().use(rehypeStringify, { closeSelfClosing: false });

/**
 * Renders a page. Nothing of its source reaches the HTML as markup.
 *
 * @throws CommandError that names file and line, for JSX, expressions, raw HTML, pictures, and links to anything but a
 * web address, a mail address, a path of this site or an anchor.
 */
export function renderMarkdown({ tree, filePath }: MarkdownSource): RenderedMarkdown {
	refuseMarkup(tree, filePath);
	const result = renderer.runSync(structuredClone(tree));
	checkLinks(result, filePath);
	return { html: printer.stringify(result), headings: headingsOf(result) };
}

/** Plain Markdown only: whoever writes a page writes text, not a program and not HTML. */
function refuseMarkup(tree: Root, filePath: string): void {
	visit(tree, (node) => {
		if (node.type !== "html" && node.type !== "image" && node.type !== "imageReference" && !node.type.startsWith("mdx")) return;
		throw new CommandError(
			`${filePath}: line ${node.position?.start.line ?? "?"} of the text: ${node.type} has no place in a page, only plain Markdown.`,
		);
	});
}

function checkLinks(tree: HtmlRoot, filePath: string): void {
	visit(tree, "element", (node) => {
		if (node.tagName !== "a") return;
		const href = String(node.properties["href"] ?? "").replace(BASE_URL_IN_LINK, "") || "/";
		if (!SAFE_LINK.test(href))
			throw new CommandError(`${filePath}: the link to ${JSON.stringify(href)} is neither a web address nor a path from "/".`);
		node.properties["href"] = href;
	});
}

/** A wide table scrolls in its own box, by keyboard too, and the page stays as wide as the screen. */
function frameTables(tree: HtmlRoot): void {
	visit(tree, "element", (node, index, parent) => {
		if (node.tagName !== "table" || parent === undefined || index === undefined) return undefined;
		parent.children[index] = element("div", { className: ["table"], tabIndex: 0 }, [node]);
		return index + 1;
	});
}

/** The heading's text is the link to itself, so its name stays what a reader sees. */
function linkHeadings(tree: HtmlRoot): void {
	visit(tree, "element", (node) => {
		if (!/^h[2-6]$/.test(node.tagName)) return;
		const id = String(node.properties["id"]);
		node.children = [element("a", { href: `#${id}`, className: ["anchor"] }, node.children.flatMap(withoutLinks))];
	});
}

/** A link within a link does not exist. */
function withoutLinks(node: Element["children"][number]): ElementContent[] {
	return node.type === "element" && node.tagName === "a" ? node.children : [node];
}

function headingsOf(tree: HtmlRoot): Heading[] {
	const headings: Heading[] = [];
	visit(tree, "element", (node) => {
		const level = { h2: 2, h3: 3 } as const;
		const { tagName } = node;
		if (tagName === "h2" || tagName === "h3")
			headings.push({ id: String(node.properties["id"]), level: level[tagName], text: textOf(node) });
	});
	return headings;
}
