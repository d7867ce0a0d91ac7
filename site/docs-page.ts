// A documentation page: navigation by sections, the text, a table of contents, the pages before and after.
import { html, raw } from "hono/html";
import type { Library, Page, Section } from "../scripts/site/pages.ts";
import type { Assets } from "./assets.ts";
import { type Html, renderDocument, SITE_NAME } from "./layout.ts";
import { type Heading, renderMarkdown } from "./markdown.ts";

/** The page that stands at /docs itself. */
const START_PAGE = "index";

export function pathOf({ slug }: Pick<Page, "slug">): string {
	return slug === START_PAGE ? "/docs" : `/docs/${slug}`;
}

/** @throws CommandError when the page is not plain Markdown. */
export async function renderDocsPage(page: Page, library: Library, assets: Assets): Promise<string> {
	const { html: text, headings } = renderMarkdown(page);
	const section = library.sections.find(({ pages }) => pages.includes(page));
	const source = `/docs/${page.slug}.md`;
	const isStart = page.slug === START_PAGE;
	const contents = headings.length > 1 ? headings : [];
	return renderDocument(
		{
			title: isStart ? `Documentation · ${SITE_NAME}` : `${page.title} · ${SITE_NAME}`,
			description: page.description ?? page.title,
			area: "docs",
			head: html`<link rel="alternate" type="text/markdown" href="${source}">\n`,
			body: html`<div class="docs${contents.length === 0 ? " docs-plain" : ""}">
${renderNavigation(library, page)}
<main class="docs-main" id="site-main" tabindex="-1">
<article>
<header class="docs-title">
<div class="docs-above">
<button type="button" class="docs-menu" popovertarget="docs-nav">All pages</button>
<p class="eyebrow">${section?.title ?? ""}</p>
</div>
<h1>${page.title}</h1>
${page.description === null ? "" : html`<p class="lede">${page.description}</p>`}
</header>
${renderContents(contents, "inline")}
<div class="prose">
${raw(text)}
</div>
</article>
${isStart ? renderOverview(library, page) : ""}
${renderNeighbours(library, page)}
<p class="docs-source"><a href="${source}">This page as Markdown</a></p>
</main>
${renderContents(contents, "side")}
</div>`,
		},
		assets,
	);
}

/** On a wide screen a column; on a narrow one a popover, which needs no script. */
function renderNavigation({ sections }: Library, current: Page): Html {
	const item = (page: Page) =>
		html`<li><a href="${pathOf(page)}"${page === current ? raw(' aria-current="page"') : ""}>${page.title}</a></li>`;
	const group = ({ title, pages }: Section) => html`<p class="docs-nav-title">${title}</p>\n<ul>\n${pages.map(item)}\n</ul>\n`;
	return html`<nav class="docs-nav" id="docs-nav" popover aria-label="Documentation">
<button type="button" class="docs-nav-close" popovertarget="docs-nav" popovertargetaction="hide">Close</button>
${sections.filter(({ pages }) => pages.length > 0).map(group)}
</nav>`;
}

/** Twice in the page, shown once: beside the text where there is room, otherwise folded above it. */
function renderContents(headings: readonly Heading[], place: "inline" | "side"): Html {
	if (headings.length === 0) return html``;
	const list = html`<ol>${headings.map(({ id, level, text }) => html`<li class="toc-${level}"><a href="#${id}">${text}</a></li>`)}</ol>`;
	return place === "side"
		? html`<nav class="toc" aria-label="On this page"><p class="toc-title">On this page</p>${list}</nav>`
		: html`<details class="toc-inline"><summary>On this page</summary>${list}</details>`;
}

/** Every page with its description. */
function renderOverview({ sections }: Library, current: Page): Html {
	const item = (page: Page) =>
		html`<li><a href="${pathOf(page)}">${page.title}</a>${page.description === null ? "" : html`<span>${page.description}</span>`}</li>`;
	const group = ({ title, pages }: Section) => {
		const others = pages.filter((page) => page !== current);
		return others.length === 0 ? html`` : html`<section><h2>${title}</h2><ul>${others.map(item)}</ul></section>`;
	};
	return html`<div class="overview">${sections.map(group)}</div>`;
}

function renderNeighbours({ pages }: Library, current: Page): Html {
	const at = pages.indexOf(current);
	const link = (page: Page | undefined, rel: "prev" | "next", label: string) =>
		page === undefined ? html`<span></span>` : html`<a rel="${rel}" href="${pathOf(page)}"><small>${label}</small>${page.title}</a>`;
	return html`<nav class="neighbours" aria-label="Previous and next page">
${link(pages[at - 1], "prev", "Previous")}
${link(pages[at + 1], "next", "Next")}
</nav>`;
}
