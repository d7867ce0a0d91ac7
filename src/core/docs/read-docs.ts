import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { preferredType } from "../../http/negotiation.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { findText, OPEN_READ, showHtml, UNCHANGED } from "./built-text.ts";
import { examplePage, findDocsPage, pageNotFound, pageSlug } from "./docs-page.ts";
import { DISCOVERY_LINKS, DOCS_HEADERS, htmlFileOf, isReference } from "./rules.ts";

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const NEGOTIATED = { Vary: "Accept", Link: DISCOVERY_LINKS } as const;

const response = {
	status: 200,
	description: "The page.",
	schema: z.string(),
	contentType: "text/html",
	headers: { Vary: "Accept" },
	others: [{ status: 200, description: "The page as Markdown.", contentType: "text/markdown" }, UNCHANGED],
} as const;

export const getDocsHome = endpoint({
	...OPEN_READ,
	path: "/docs",
	operationId: "getDocsHome",
	summary: "Read the first page of the documentation",
	description: "With `Accept: text/markdown`, returns Markdown.",
	response,
	errors: [],

	handle: (ctx, { request }) => showDocsPage(ctx, "index", request),
});

export const readDocs = endpoint({
	...OPEN_READ,
	path: "/docs/{slug}",
	operationId: "readDocs",
	summary: "Read a page of the documentation in a browser",
	description: "`Accept: text/markdown`, or `.md` after the slug, returns Markdown. Browsers also get a 404 error as an HTML page.",
	params: z.object({ slug: pageSlug }),
	greedyParam: "slug",
	response,
	errors: ["NOT_FOUND"],
	examples: { params: { slug: examplePage.slug } },

	handle: (ctx, { params, request }) => showDocsPage(ctx, params.slug, request),
});

/** Returns a page as HTML, or as Markdown under its title. The API reference has only HTML. @throws AppError NOT_FOUND. */
async function showDocsPage(ctx: PublicCtx, slug: string, request: Request): Promise<Response> {
	const isSource = slug.endsWith(".md");
	const page = await findDocsPage(ctx, isSource ? slug.slice(0, -".md".length) : slug);
	if (page !== null && (isSource || prefersMarkdown(request))) {
		const headers = { ...NEGOTIATED, "Content-Type": MARKDOWN, "Cache-Control": "no-cache" };
		return new Response(`# ${page.title}\n\n${page.body_md}`, { headers });
	}
	const html = isSource ? null : await findDocsHtml(ctx, slug, page !== null);
	if (html === null) throw pageNotFound();
	return html;
}

function prefersMarkdown(request: Request): boolean {
	return preferredType(request.headers.get("Accept"), ["text/html", "text/markdown"]) === "text/markdown";
}

/**
 * Returns the built HTML of a page, or null if there is no such page. `npm start` serves the platform before the documentation is built.
 * Until it is built, readers get a placeholder page.
 */
async function findDocsHtml(ctx: PublicCtx, slug: string, isPage: boolean): Promise<Response | null> {
	const path = htmlFileOf(slug);
	const built = await findText(ctx, { path, contentType: HTML, headers: { ...NEGOTIATED, ...DOCS_HEADERS } });
	if (built !== null) return built;
	const isExpected = isPage || (isReference(slug) && (await ctx.assets.find(htmlFileOf("index"))) === null);
	if (!isExpected) return null;
	return showHtml(ctx, "docs-pending.html", { ...NEGOTIATED, "Cache-Control": "no-store", Refresh: "5" });
}
