// Built texts, shown as they are but for the origin that their addresses begin with.
import type { PublicCtx } from "../../deps.ts";
import { AppError } from "../../errors.ts";

/** Stands in built texts for the origin under which the reader has reached the platform. */
const BASE_URL = "{base_url}";

/** Puts the reader's origin where a built text leaves it open. */
export function fillBaseUrl(text: string, baseUrl: string): string {
	return text.replaceAll(BASE_URL, baseUrl);
}

/**
 * A built text as an answer.
 *
 * @throws AppError NOT_FOUND where there is no such file.
 */
export async function showText(
	{ assets, baseUrl }: PublicCtx,
	{ path, contentType }: { path: string; contentType: string },
): Promise<Response> {
	const file = await assets.find(path);
	if (file === null) throw new AppError("NOT_FOUND");
	return new Response(fillBaseUrl(await file.text(), baseUrl), { headers: { "Content-Type": contentType, "Cache-Control": "no-cache" } });
}
