// Reads documentation pages from the static assets.
import { AppError } from "../../../domain/errors.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { type DocsPage, docsFile } from "./docs-pages.ts";
import { fillBaseUrl, type SearchablePage, type SearchHit, searchPage, searchPageForWords, toSearchable } from "./docs-rules.ts";

/** Every page in its order, as it is stored: `{base_url}` is still in it. */
export async function listPages({ assets }: PublicCtx): Promise<readonly DocsPage[]> {
	return (await assets.readJson("docs.json", docsFile)).pages;
}

/** Null when the page does not exist. */
export async function findPage(ctx: PublicCtx, slug: string): Promise<DocsPage | null> {
	const page = (await listPages(ctx)).find((candidate) => candidate.slug === slug);
	return page === undefined ? null : { ...page, body_md: fillBaseUrl(page.body_md, ctx.baseUrl) };
}

/** @throws AppError NOT_FOUND. */
export async function getPage(ctx: PublicCtx, slug: string): Promise<DocsPage> {
	const page = await findPage(ctx, slug);
	if (page === null) throw pageNotFound();
	return page;
}

/** The refusal of a page that does not exist. */
export function pageNotFound(): AppError {
	return new AppError("NOT_FOUND", { message: "This page does not exist. GET /api/v1/docs lists all pages." });
}

export interface FoundPage extends SearchHit {
	readonly page: DocsPage;
}

/**
 * Pages that contain the exact query, best first, then in their order. When there is none, pages that contain all of its
 * words. Contract: "Documentation", which counts substrings; the second step only adds results where it would have none.
 */
export async function searchPages(ctx: PublicCtx, { q, limit }: { q: string; limit: number }): Promise<FoundPage[]> {
	const pages = (await listPages(ctx)).map((page) => {
		const { body, ...rest } = toSearchable(page);
		return { page, searchable: { ...rest, body: fillBaseUrl(body, ctx.baseUrl) } };
	});
	const find = (search: (page: SearchablePage, query: string) => SearchHit | null): FoundPage[] =>
		pages.flatMap(({ page, searchable }) => {
			const hit = search(searchable, q);
			return hit === null ? [] : [{ page, ...hit }];
		});
	const exact = find(searchPage);
	const found = exact.length > 0 ? exact : find(searchPageForWords);
	return found.toSorted((a, b) => b.score - a.score).slice(0, limit);
}

export interface TextToShow {
	/** The path of the built file. */
	readonly path: string;
	readonly contentType: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A built text as a response, with the reader's origin filled in.
 *
 * @throws AppError NOT_FOUND when the file does not exist.
 */
export async function showText(ctx: PublicCtx, text: TextToShow): Promise<Response> {
	const shown = await findText(ctx, text);
	if (shown === null) throw new AppError("NOT_FOUND");
	return shown;
}

/** {@link showText} for files that may not exist; null for those. */
export async function findText({ assets, baseUrl }: PublicCtx, { path, contentType, headers = {} }: TextToShow): Promise<Response | null> {
	const file = await assets.find(path);
	if (file === null) return null;
	const text = fillBaseUrl(await file.text(), baseUrl);
	return new Response(text, {
		headers: { "Content-Type": contentType, "Cache-Control": "no-cache", ...headers },
	});
}
