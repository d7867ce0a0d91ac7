// Checks that a page's source is plain Markdown, which reads the same in a browser, in an agent's context and in an editor.
import type { Root } from "mdast";
import { visit } from "unist-util-visit";

const BASE_URL_IN_LINK = /^(?:\{base_url\}|%7Bbase_url%7D)(?=\/|$)/i;
/** The pictures of the documentation, each in a light and a dark version. */
const OWN_PICTURE = /^\/docs\/pictures\/[a-z-]+\.webp$/;
const SAFE_LINK = /^(?:https?:\/\/|mailto:|#|\/(?!\/))/;

/**
 * Finds the first part of a page that is not plain Markdown: JSX, expressions, HTML, pictures other than the documentation's own ones
 * with a description, and links to anything but a URL, a mail address, a path of this site or an anchor.
 *
 * @returns The fault with its line in the text, or null for a plain page.
 */
export function findMarkup(tree: Root): string | null {
	let fault: string | null = null;
	visit(tree, (node) => {
		const line = node.position?.start.line ?? "?";
		const isForeignPicture = node.type === "image" && !(OWN_PICTURE.test(node.url) && (node.alt ?? "") !== "");
		if (node.type === "html" || isForeignPicture || node.type === "imageReference" || node.type.startsWith("mdx")) {
			fault ??= `line ${line} of the text: pages are plain Markdown, without ${node.type}.`;
		}
		if ((node.type === "link" || node.type === "definition") && !isSafeLink(node.url)) {
			fault ??= `line ${line} of the text: the link to ${JSON.stringify(node.url)} is neither a URL nor a path that starts with "/".`;
		}
	});
	return fault;
}

function isSafeLink(url: string): boolean {
	return SAFE_LINK.test(url.replace(BASE_URL_IN_LINK, "") || "/");
}
