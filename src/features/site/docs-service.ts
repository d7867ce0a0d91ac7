// Reads documentation pages from the static assets.
import { AppError } from "../../domain/errors.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { type DocsPage, docsFile } from "./docs-pages.ts";
import { fillBaseUrl, type SearchHit, searchPage, toSearchable } from "./docs-rules.ts";

/** Every page in its order, as it is stored: `{base_url}` is still in it. */
export async function listPages({ assets }: PublicCtx): Promise<readonly DocsPage[]> {
	return (await assets.readJson("docs.json", docsFile)).pages;
}

/** Null where there is no such page. */
export async function findPage(ctx: PublicCtx, slug: string): Promise<DocsPage | null> {
	const page = (await listPages(ctx)).find((candidate) => candidate.slug === slug);
	return page === undefined ? null : { ...page, body_md: fillBaseUrl(page.body_md, ctx.baseUrl) };
}

/** @throws AppError NOT_FOUND. */
export async function getPage(ctx: PublicCtx, slug: string): Promise<DocsPage> {
	const page = await findPage(ctx, slug);
	if (page === null) throw new AppError("NOT_FOUND", { message: "There is no such page. GET /api/v1/docs lists them all." });
	return page;
}

export interface FoundPage extends SearchHit {
	readonly page: DocsPage;
}

/** Pages that have the query somewhere, best first, then in their order. */
export async function searchPages(ctx: PublicCtx, { q, limit }: { q: string; limit: number }): Promise<FoundPage[]> {
	const found: FoundPage[] = [];
	for (const page of await listPages(ctx)) {
		const { body, ...rest } = toSearchable(page);
		const hit = searchPage({ ...rest, body: fillBaseUrl(body, ctx.baseUrl) }, q);
		if (hit !== null) found.push({ page, ...hit });
	}
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
 * @throws AppError NOT_FOUND where there is no such file.
 */
export async function showText({ assets, baseUrl }: PublicCtx, { path, contentType, headers = {} }: TextToShow): Promise<Response> {
	const file = await assets.find(path);
	if (file === null) throw new AppError("NOT_FOUND");
	const text = fillBaseUrl(await file.text(), baseUrl);
	return new Response(text, {
		headers: { "Content-Type": contentType, "Cache-Control": "no-cache", ...headers },
	});
}
