import * as z from "zod";
import type { ErrorForm } from "../../http/error-handler.ts";
import { preferredType } from "../../http/negotiation.ts";
import { describeError } from "../../platform/log.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { frameOf, HTML, loadViews, NEGOTIATED } from "./page.ts";

const envelope = z.object({ error: z.object({ message: z.string(), code: z.string() }) });
/** To a reader, a malformed id in a URL means that the page does not exist. */
const MISSING = ["NOT_FOUND", "INVALID_UUID"];

/** Outside of the API, a browser gets errors as pages. */
export const errorPages: ErrorForm = {
	isFor: (path) => path !== "/api" && !path.startsWith("/api/"),
	async show(refusal, { ctx, request }) {
		if (ctx === undefined) return refusal;
		refusal.headers.set("Vary", "Accept");
		return (await showError(ctx, request, refusal)) ?? refusal;
	},
};

/**
 * Shows an error as a page to browsers. Returns null if the caller prefers JSON, the request is not a read, or the page cannot be made.
 *
 * @param refusal The error as JSON. The page gets its headers and status.
 */
async function showError(ctx: PublicCtx, request: Request, refusal: Response): Promise<Response | null> {
	const isRead = request.method === "GET" || request.method === "HEAD";
	if (!isRead || preferredType(request.headers.get("Accept"), ["application/json", "text/html"]) === "application/json") return null;
	try {
		const { error } = envelope.parse(await refusal.clone().json());
		const isMissing = MISSING.includes(error.code);
		const { renderError } = await loadViews();
		const page = await renderError(await frameOf(ctx), isMissing ? null : error.message);
		const headers = new Headers(refusal.headers);
		for (const [name, value] of Object.entries({ ...HTML, ...NEGOTIATED })) headers.set(name, value);
		return new Response(page, { status: isMissing ? 404 : refusal.status, headers });
	} catch (error) {
		ctx.log.error("error_page_failed", describeError(error));
		return null;
	}
}
