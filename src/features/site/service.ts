import { AppError } from "../../domain/errors.ts";
import { preferredType } from "../../http/negotiation.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { findPage, showText } from "./docs-service.ts";
import { DISCOVERY_LINKS, htmlFileOf, PAGE_HEADERS } from "./rules.ts";

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const NEGOTIATED = { Vary: "Accept", Link: DISCOVERY_LINKS } as const;

export async function showHtml(ctx: PublicCtx, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
	return showText(ctx, { path, contentType: HTML, headers: { ...PAGE_HEADERS, ...headers } });
}

/**
 * A page of the documentation, as HTML or as Markdown under its title.
 *
 * @throws AppError NOT_FOUND.
 */
export async function showDocsPage(ctx: PublicCtx, slug: string, request: Request): Promise<Response> {
	const accept = request.headers.get("Accept");
	const named = slug.endsWith(".md") ? slug.slice(0, -".md".length) : null;
	const page = await findPage(ctx, named ?? slug);
	if (page === null) throw refuseUnknownPage();
	if (named === null && preferredType(accept, ["text/html", "text/markdown"]) === "text/html") {
		return showHtml(ctx, htmlFileOf(slug), NEGOTIATED);
	}
	const headers = { ...NEGOTIATED, "Content-Type": MARKDOWN, "Cache-Control": "no-cache" };
	return new Response(`# ${page.title}\n\n${page.body_md}`, { headers });
}

function refuseUnknownPage(): AppError {
	return new AppError("NOT_FOUND", { message: "There is no such page. GET /api/v1/docs lists them all." });
}
