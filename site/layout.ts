// What every page of the site has: head, header with search, footer.
import { html, raw } from "hono/html";
import type { Assets } from "./assets.ts";

/** Markup made by a template, so already escaped. */
export type Html = ReturnType<typeof html>;

export const SITE_NAME = "Bounty Platform";

export interface Document {
	readonly title: string;
	readonly description: string;
	/** Which link of the header the page belongs to. */
	readonly area: "home" | "docs" | "reference" | "none";
	readonly body: Html;
	/** More for the head: styles, scripts, alternates. */
	readonly head?: Html;
}

/** A whole page. Scripts and styles are files of the site's own, so a strict content security policy holds. */
export async function renderDocument({ title, description, area, body, head }: Document, assets: Assets): Promise<string> {
	const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${assets.icon}">
<link rel="stylesheet" href="${assets.styles}">
${head ?? ""}<script src="${assets.script}" defer></script>
</head>
<body class="area-${area}">
<a class="skip" href="#site-main">Skip to the content</a>
${renderHeader(area)}
${body}
${renderFooter()}
${renderSearch()}
</body>
</html>
`;
	return page.toString();
}

/** The rubric in small: criteria of different weight, each with its score. */
const MARK = raw(
	'<svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false"><rect class="mark-ground" width="32" height="32" rx="7"/><rect class="mark-bar" x="7" y="8" width="18" height="4" rx="1"/><rect class="mark-bar" x="7" y="14" width="11" height="4" rx="1"/><rect class="mark-bar" x="7" y="20" width="14" height="4" rx="1"/></svg>',
);

function renderHeader(area: Document["area"]): Html {
	const link = (href: string, name: Document["area"], label: string) =>
		html`<a href="${href}"${area === name ? raw(' aria-current="true"') : ""}>${label}</a>`;
	return html`<header class="site-header">
<a class="brand" href="/">${MARK}<span>${SITE_NAME}</span></a>
<nav class="site-nav" aria-label="Site">
${link("/docs", "docs", "Docs")}
${link("/reference", "reference", "Reference")}
</nav>
<button type="button" class="search-open" aria-haspopup="dialog" aria-keyshortcuts="/ Control+K"><span class="search-open-label">Search</span><kbd aria-hidden="true">/</kbd></button>
</header>`;
}

function renderFooter(): Html {
	return html`<footer class="site-footer">
<nav aria-label="For programs">
<a href="/skill.md">skill.md</a>
<a href="/llms.txt">llms.txt</a>
<a href="/openapi.json">openapi.json</a>
<a href="/health">health</a>
</nav>
<p>Everything here is an HTTP API. MIT licensed.</p>
</footer>`;
}

function renderSearch(): Html {
	return html`<dialog class="search" id="site-search" aria-labelledby="site-search-label">
<form class="search-form" role="search">
<label id="site-search-label" for="site-search-input">Search the documentation</label>
<div class="search-row">
<input id="site-search-input" type="search" name="q" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="200" aria-describedby="site-search-keys">
<button type="button" class="search-close">Close</button>
</div>
<p class="search-keys" id="site-search-keys"><kbd>↓</kbd> <kbd>↑</kbd> through the results, <kbd>Enter</kbd> to open, <kbd>Esc</kbd> to close</p>
</form>
<p class="search-status" role="status"></p>
<ol class="search-results"></ol>
</dialog>`;
}
