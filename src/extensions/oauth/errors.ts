// Errors of /oauth/* have the form of RFC 6749.
import * as z from "zod";
import type { AppError } from "../../domain/errors.ts";
import { errorEntryOf } from "../../domain/errors.ts";
import type { ErrorForm } from "../../http/error-handler.ts";
import { describeError } from "../../platform/log.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { frameOf, HTML, loadViews } from "../pages/page.ts";
import { AUTHORIZE_PATH, DEVICE_PATH } from "./rules.ts";

const oauthErrorBody = z
	.object({
		error: z.string().describe("An error code from RFC 6749, RFC 7591, RFC 8628 or RFC 8707, such as `invalid_grant`."),
		error_description: z.string().optional().describe("What is wrong, and what to do next."),
	})
	.meta({ id: "OAuthError", description: "An error of OAuth." });

export const OAUTH_ERRORS = {
	schema: oauthErrorBody,
	bodyOf: (refusal: AppError) => ({
		error: codeOfStatus(errorEntryOf(refusal.code).status),
		error_description: refusal.message,
	}),
} as const;

export function oauthError(error: string, description: string, status = 400): Response {
	return Response.json({ error, error_description: description }, { status, headers: NO_STORE });
}

export const NO_STORE = { "Cache-Control": "no-store", Pragma: "no-cache" } as const;

function codeOfStatus(status: number): string {
	if (status === 429 || status === 503 || status === 507) return "temporarily_unavailable";
	return status >= 500 ? "server_error" : "invalid_request";
}

/** The paths that people open in a browser, where errors are shown as pages. */
const PAGES: readonly string[] = [AUTHORIZE_PATH, DEVICE_PATH];

const envelope = z.object({ error: z.object({ message: z.string() }) });

export const oauthErrors: ErrorForm = {
	isFor: (path) => path.startsWith("/oauth/") || path === DEVICE_PATH,
	async show(refusal, { ctx, request }) {
		const { message } = envelope.parse(await refusal.clone().json()).error;
		const isPage = PAGES.includes(new URL(request.url).pathname) && request.headers.get("Accept")?.includes("text/html") === true;
		if (isPage && ctx !== undefined) return (await showPage(ctx, refusal, message)) ?? refusal;
		const body = { error: codeOfStatus(refusal.status), error_description: message };
		return Response.json(body, { status: refusal.status, headers: withoutType(refusal.headers) });
	},
};

async function showPage(ctx: PublicCtx, refusal: Response, message: string): Promise<Response | null> {
	try {
		const { renderError } = await loadViews();
		const headers = withoutType(refusal.headers);
		for (const [name, value] of Object.entries({ ...HTML, ...FORM_PAGE })) headers.set(name, value);
		return new Response(await renderError(await frameOf(ctx), message), { status: refusal.status, headers });
	} catch (error) {
		ctx.log.error("error_page_failed", describeError(error));
		return null;
	}
}

/**
 * The content security policy of every page forbids framing too. `X-Frame-Options` is for browsers that do not know that directive.
 * With `no-referrer`, browsers would submit forms with `Origin: null`, as a foreign page does, and no one could consent.
 * `same-origin` reveals just as little to other sites.
 */
export const FORM_PAGE = { "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin" } as const;

function withoutType(headers: Headers): Headers {
	const copy = new Headers(headers);
	copy.delete("Content-Type");
	copy.delete("Content-Length");
	return copy;
}
