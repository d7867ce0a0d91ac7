// Serves the texts that scripts/site.ts and scripts/docs.ts build.
import { AppError } from "../../domain/errors.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { fillBaseUrl, PAGE_HEADERS } from "./rules.ts";

/** The settings of endpoints that return one text and need no credential. */
export const OPEN_READ = { method: "get", tags: ["Documentation"], auth: "none", rate: "none" } as const;
/**
 * Requests to the docs API are rate-limited, because a search scans all pages. Pages change only with deployments, so caches may keep them.
 */
export const DOCS_READ = { ...OPEN_READ, rate: "general", shared: { seconds: 60, of: "deployment" } } as const;

/** The response if the request has the current ETag. */
export const UNCHANGED = { status: 304, description: "The text has not changed." } as const;
export const TEXT_ETAG = { ETag: "The version of the text." };

interface TextToShow {
	/** The path of the built file. */
	readonly path: string;
	readonly contentType: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns a built text as a response, with the reader's origin filled in.
 *
 * @throws AppError NOT_FOUND if the file does not exist.
 */
export async function showText(ctx: PublicCtx, text: TextToShow): Promise<Response> {
	const response = await findText(ctx, text);
	if (response === null) throw new AppError("NOT_FOUND");
	return response;
}

/** Like {@link showText}, but returns null if the file does not exist. */
export async function findText({ assets, baseUrl }: PublicCtx, { path, contentType, headers = {} }: TextToShow): Promise<Response | null> {
	const file = await assets.find(path);
	if (file === null) return null;
	const text = fillBaseUrl(await file.text(), baseUrl);
	return new Response(text, { headers: { "Content-Type": contentType, "Cache-Control": "no-cache", ...headers } });
}

/** Returns a built page with the headers that every page has. */
export async function showHtml(ctx: PublicCtx, path: string, headers: Readonly<Record<string, string>>): Promise<Response> {
	return showText(ctx, { path, contentType: "text/html; charset=utf-8", headers: { ...PAGE_HEADERS, ...headers } });
}
