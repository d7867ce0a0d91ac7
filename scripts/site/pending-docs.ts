// The page that /docs shows until the documentation is built. Each page's Markdown exists from the start.
import { html } from "hono/html";
import { isCoreOnly } from "../setup/extensions.mjs";
import type { Library } from "./pages.ts";
import type { SiteFiles } from "./site-files.ts";

const UNTIL_BUILT = {
	heading: "The documentation is being built",
	text: html`After <code>npm start</code>, this takes about a minute, once. This page then shows the documentation by itself. <code>npm run docs</code> builds it now.`,
};

/** The text for a platform without extensions, which does not build the documentation for browsers. */
const AS_MARKDOWN = {
	heading: "The documentation",
	text: html`This platform has no extensions. The documentation also describes extensions: <a href="/openapi.json">openapi.json</a> says what this platform has.`,
};

/** Builds the page. It has no styles or scripts, because it is shown when nothing else is ready. */
export function buildPendingPage({ pages }: Library): SiteFiles {
	const item = ({ slug, title }: Library["pages"][number]) => html`<li><a href="/docs/${slug}.md">${title}</a></li>\n`;
	const { heading, text } = isCoreOnly() ? AS_MARKDOWN : UNTIL_BUILT;
	const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${heading}. Its pages are available as Markdown.">
<title>${heading} · Bounty Platform</title>
</head>
<body>
<main>
<h1>${heading}</h1>
<p>${text}</p>
<p>Every page is already here as Markdown, and the API's description is <a href="/openapi.json">openapi.json</a>:</p>
<ul>
${pages.map(item)}</ul>
</main>
</body>
</html>
`;
	return new Map([["docs-pending.html", String(page)]]);
}
