// /docs shows this page until the documentation is built. Each page's Markdown exists from the start.
import { html } from "hono/html";
import type { Library } from "./pages.ts";
import type { SiteFiles } from "./site-files.ts";

/** The page has neither styles nor scripts because it is shown when nothing else is ready. */
export function buildPendingPage({ pages }: Library): SiteFiles {
	const item = ({ slug, title }: Library["pages"][number]) => html`<li><a href="/docs/${slug}.md">${title}</a></li>\n`;
	const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="The documentation is being built. Its pages are available as Markdown.">
<title>The documentation is being built · Bounty Platform</title>
</head>
<body>
<main>
<h1>The documentation is being built</h1>
<p>After <code>npm start</code> this takes about a minute, once. This page then shows the documentation by itself. <code>npm run docs</code> builds it now.</p>
<p>Every page is already here as Markdown, and the API's description is <a href="/openapi.json">openapi.json</a>:</p>
<ul>
${pages.map(item)}</ul>
</main>
</body>
</html>
`;
	return new Map([["docs-pending.html", String(page)]]);
}
