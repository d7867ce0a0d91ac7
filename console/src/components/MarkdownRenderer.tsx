import type { Nodes as HtmlNodes, Root as HtmlRoot } from "hast";
import type { Nodes, Root } from "mdast";
import type { AnchorHTMLAttributes, ImgHTMLAttributes } from "react";
import ReactMarkdown from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { isOrdinaryMarkdown, isShowable } from "../../../src/domain/markdown-bounds.ts";
import { levelHeadings } from "../../../src/domain/markdown-headings.ts";

const PLUGINS = [remarkGfm, showAsTextWhenLarge, keepHtmlAsText, () => levelHeadings];
const HTML_PLUGINS = [rehypeSanitize, letKeysScroll];
const COMPONENTS = { a: OutsideLink, img: ImageLink, input: "span" } as const;

export function MarkdownRenderer({ text }: { readonly text: string }) {
	if (!isOrdinaryMarkdown(text)) return <pre className="markdown">{text}</pre>;
	return (
		<div className="markdown">
			<ReactMarkdown remarkPlugins={PLUGINS} rehypePlugins={HTML_PLUGINS} components={COMPONENTS}>
				{text}
			</ReactMarkdown>
		</div>
	);
}

/** Shows HTML as text. Otherwise a format such as `<date>;<amount>` would lose its words. */
function keepHtmlAsText() {
	return (tree: Root) => {
		const waiting: Nodes[] = [tree];
		for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
			if (node.type === "html") Object.assign(node, { type: "text" });
			if ("children" in node) waiting.push(...node.children);
		}
	};
}

/** Lets the keyboard reach code blocks, because a block that is wider than the page scrolls. */
function letKeysScroll() {
	return (tree: HtmlRoot) => {
		const waiting: HtmlNodes[] = [tree];
		for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
			if (node.type === "element" && node.tagName === "pre") node.properties["tabIndex"] = 0;
			if ("children" in node) waiting.push(...node.children);
		}
	};
}

/** If the Markdown has too many elements, shows its source in one block instead. */
function showAsTextWhenLarge() {
	return (tree: Root, { value }: { readonly value: unknown }) => {
		if (!isShowable(tree)) tree.children = [{ type: "code", value: String(value) }];
	};
}

function OutsideLink({ href, children }: AnchorHTMLAttributes<HTMLAnchorElement>) {
	return (
		<a href={href} rel="noopener noreferrer nofollow ugc" target="_blank">
			{children}
		</a>
	);
}

/** Shows an image as a link, because an image would tell its host who reads the task. */
function ImageLink({ src, alt }: ImgHTMLAttributes<HTMLImageElement>) {
	return (
		<OutsideLink href={typeof src === "string" ? src : undefined}>
			{alt === undefined || alt === "" ? "Image" : `Image: ${alt}`}
		</OutsideLink>
	);
}
