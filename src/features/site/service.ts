import { AppError } from "../../domain/errors.ts";
import { preferredType } from "../../http/negotiation.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { findPage, showText } from "./docs-service.ts";
import { cacheControlOf, DISCOVERY_LINKS, htmlFileOf, PAGE_HEADERS } from "./rules.ts";

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const NEGOTIATED = { Vary: "Accept", Link: DISCOVERY_LINKS } as const;

/** The start page in the form that the caller reads best. */
export async function showHome(ctx: PublicCtx, request: Request): Promise<Response> {
	switch (preferredType(request.headers.get("Accept"), ["application/json", "text/html", "text/markdown"])) {
		case "text/html":
			return showHtml(ctx, "index.html", NEGOTIATED);
		case "text/markdown":
			return showText(ctx, { path: "llms.txt", contentType: MARKDOWN, headers: NEGOTIATED });
		case "application/json":
			return showText(ctx, { path: "home.json", contentType: "application/json", headers: NEGOTIATED });
	}
}

export async function showHtml(ctx: PublicCtx, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
	return showText(ctx, { path, contentType: HTML, headers: { ...PAGE_HEADERS, ...headers } });
}

/**
 * A page of the documentation, as HTML or as Markdown under its title. What is not there is a page with status 404 for a browser.
 *
 * @throws AppError NOT_FOUND for others than browsers.
 */
export async function showDocsPage(ctx: PublicCtx, slug: string, request: Request): Promise<Response> {
	const accept = request.headers.get("Accept");
	const named = slug.endsWith(".md") ? slug.slice(0, -".md".length) : null;
	const page = await findPage(ctx, named ?? slug);
	if (page === null) {
		const notFound = await showNotFound(ctx, request);
		if (notFound === null) throw refuseUnknownPage();
		return notFound;
	}
	if (named === null && preferredType(accept, ["text/html", "text/markdown"]) === "text/html") {
		return showHtml(ctx, htmlFileOf(slug), NEGOTIATED);
	}
	const headers = { ...NEGOTIATED, "Content-Type": MARKDOWN, "Cache-Control": "no-cache" };
	return new Response(`# ${page.title}\n\n${page.body_md}`, { headers });
}

/** The page for a path where there is nothing, with status 404; null for a caller that does not read pages. */
export async function showNotFound(ctx: PublicCtx, request: Request): Promise<Response | null> {
	const isRead = request.method === "GET" || request.method === "HEAD";
	if (!isRead || preferredType(request.headers.get("Accept"), ["application/json", "text/html"]) === "application/json") return null;
	const { body, headers } = await showHtml(ctx, "404.html", NEGOTIATED);
	return new Response(body, { status: 404, headers });
}

function refuseUnknownPage(): AppError {
	return new AppError("NOT_FOUND", { message: "There is no such page. GET /api/v1/docs lists them all.", headers: { Vary: "Accept" } });
}

/**
 * A file that a page loads.
 *
 * @throws AppError NOT_FOUND.
 */
export async function showFile({ assets }: PublicCtx, path: string): Promise<Response> {
	const file = await assets.find(`assets/${path}`);
	if (file === null) throw new AppError("NOT_FOUND");
	const response = new Response(file.body, { headers: { "Cache-Control": cacheControlOf(path) } });
	for (const name of ["Content-Type", "ETag"]) {
		const value = file.headers.get(name);
		if (value !== null) response.headers.set(name, value);
	}
	return response;
}
