// Turns posters' Markdown into elements. Its text cannot become markup, because Hono escapes all text and attributes again.
import type { RootContent } from "hast";
import { defaultSchema, type Schema, sanitize } from "hast-util-sanitize";
import { raw } from "hono/html";
import { type Child, jsx } from "hono/jsx";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toHast } from "mdast-util-to-hast";
import { gfm } from "micromark-extension-gfm";
import { isOrdinaryMarkdown, isShowable } from "../../domain/markdown-bounds.ts";
import { levelHeadings } from "../../domain/markdown-headings.ts";

/** Allows neither pictures, which would come from other hosts, nor ids, classes or styles. */
const SCHEMA: Schema = {
	...defaultSchema,
	tagNames: [
		...["p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "del", "a", "br", "hr"],
		...["table", "thead", "tbody", "tr", "th", "td"],
	],
	attributes: { a: ["href"], ol: ["start"], th: ["align"], td: ["align"] },
	protocols: { href: ["http", "https", "mailto"] },
	clobber: [],
	required: {},
	strip: ["script", "style"],
};

/**
 * Syntax that is switched off. Footnotes need ids, which could collide with the page's own. HTML is shown as text, because otherwise a
 * format such as `<date>;<amount>` would lose its words.
 */
const NOT_MARKDOWN = ["gfmFootnoteCall", "gfmFootnoteDefinition", "gfmPotentialFootnoteCall", "htmlFlow", "htmlText"];

const SYNTAX = {
	extensions: [gfm(), { disable: { null: NOT_MARKDOWN } }],
	mdastExtensions: [gfmFromMarkdown()],
};

/** Published Markdown never changes, so an isolate caches recent conversions. */
const MAX_CONVERTED_CHARACTERS = 1_000_000;
const converted = new Map<string, string>();
let convertedCharacters = 0;

export function Markdown({ text }: { readonly text: string }) {
	const html = converted.get(text) ?? convert(text).toString();
	forgetConverted(text);
	converted.set(text, html);
	convertedCharacters += text.length + html.length;
	// A map lists its keys in insertion order, so the first one was shown least recently.
	for (const oldest of converted.keys()) {
		if (convertedCharacters <= MAX_CONVERTED_CHARACTERS) break;
		forgetConverted(oldest);
	}
	return raw(html);
}

function forgetConverted(text: string): void {
	const html = converted.get(text);
	if (html === undefined) return;
	converted.delete(text);
	convertedCharacters -= text.length + html.length;
}

/** Converts a user's Markdown. HTML is shown as text, headings start below the page's own, and links are marked as a user's. */
function convert(text: string) {
	const parsed = isOrdinaryMarkdown(text) ? fromMarkdown(text, SYNTAX) : null;
	if (parsed === null || !isShowable(parsed)) {
		return (
			<pre class="spec" tabindex={0}>
				{text}
			</pre>
		);
	}
	levelHeadings(parsed);
	const clean = sanitize(toHast(parsed), SCHEMA);
	return <div class="markdown">{childrenOf(clean)}</div>;
}

type Node = ReturnType<typeof toHast>;

function childrenOf(node: Node): Child[] {
	return "children" in node ? node.children.map(toJsx) : [];
}

/** Marks users' links for crawlers, and makes scrolling blocks reachable by keyboard. */
const ADDED: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
	a: { rel: "nofollow ugc noopener noreferrer" },
	pre: { tabindex: 0 },
};

function toJsx(node: RootContent): Child {
	if (node.type === "text") return node.value;
	if (node.type !== "element") return null;
	const { tagName, properties } = node;
	const attributes = Object.fromEntries(
		Object.entries(properties).flatMap(([name, value]) => (typeof value === "string" || typeof value === "number" ? [[name, value]] : [])),
	);
	// The sanitizer has removed an unsafe URL, so only the link's text is left.
	if (tagName === "a" && attributes["href"] === undefined) return jsx("span", {}, ...childrenOf(node));
	return jsx(tagName, { ...attributes, ...ADDED[tagName] }, ...childrenOf(node));
}
