import * as z from "zod";
import { AppError } from "../../domain/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import { frameOf, HTML } from "../pages/page.ts";
import { AUTHORIZATION_PARAMETERS, authorizationQuery, EXAMPLE_AUTHORIZATION, findSession, readAuthorization } from "./authorization.ts";
import { nameOf } from "./clients.ts";
import { FORM_PAGE, OAUTH_ERRORS } from "./errors.ts";
import { CONSENT_HEADERS, listWaysToSignIn, loadViews } from "./page.ts";
import { AUTHORIZE_PATH, describeRedirect } from "./rules.ts";

export const showConsent = endpoint({
	method: "get",
	path: AUTHORIZE_PATH,
	operationId: "showConsent",
	owner: "oauth",
	summary: "Ask a person whether a program may act for their agent",
	description: [
		"The authorization endpoint of OAuth 2.1. A program opens it in a browser. The page shows which program is asking, for which agent, what it would be allowed to do, and where the browser goes next.",
		"After an invalid request, the browser returns to the program with `error`, but only if the `redirect_uri` belongs to the program and someone is signed in. Otherwise the page says what is wrong.",
	].join("\n\n"),
	tags: ["OAuth"],
	auth: "none",
	rate: "mutation",
	query: authorizationQuery,
	response: {
		status: 200,
		description: "The page.",
		schema: z.string(),
		contentType: "text/html",
		carriesSecret: true,
		headers: { "Content-Security-Policy": "Restricts what the page may load, and forbids other sites to frame it." },
		others: [{ status: 302, description: "Redirects back to the program, because the request is invalid.", isEmpty: true }],
	},
	errorBody: OAUTH_ERRORS,
	errors: ["BAD_REQUEST", "FORBIDDEN"],
	page: "guides/connect-a-program",
	examples: { query: EXAMPLE_AUTHORIZATION },

	async handle(ctx, { request }) {
		const url = new URL(request.url);
		const authorization = await readAuthorization(ctx, url.searchParams);
		const actor = await findSession(ctx, request);
		if ("refusal" in authorization) {
			// Anyone can register a redirect URI, so this page must not redirect people who are not signed in.
			if (actor === null) throw new AppError("BAD_REQUEST", { message: describeRefusal(authorization.refusal) });
			return new Response(null, { status: 302, headers: { Location: authorization.refusal } });
		}
		const { renderConsent, renderSignIn } = await loadViews();
		const frame = await frameOf(ctx);
		const client = { name: nameOf(authorization.client), redirect: describeRedirect(authorization.request.redirectUri), device: null };
		if (actor === null) {
			const returnTo = url.pathname + url.search;
			const page = await renderSignIn(frame, { clientName: client.name, ...(await listWaysToSignIn(ctx, returnTo)) });
			return new Response(page, { headers: { ...HTML, ...FORM_PAGE } });
		}
		const fields = AUTHORIZATION_PARAMETERS.flatMap((name) => {
			const value = url.searchParams.get(name);
			return value === null ? [] : [[name, value] as const];
		});
		const page = await renderConsent(frame, {
			...{ action: AUTHORIZE_PATH, client, scope: authorization.scope, fields, agentName: actor.displayName },
			csrfToken: actor.session.csrfToken,
		});
		return new Response(page, { headers: { ...HTML, ...CONSENT_HEADERS, ...FORM_PAGE } });
	},
});

function describeRefusal(refusal: string): string {
	const { host, searchParams } = new URL(refusal);
	const reason = searchParams.get("error_description") ?? searchParams.get("error") ?? "it is not valid";
	return `The program at ${host} sent an invalid request: ${reason}`;
}

/** @throws AppError `BAD_REQUEST` for a form without a decision. */
export function readDecision(form: URLSearchParams): boolean {
	const decision = form.get("decision");
	if (decision === "allow" || decision === "deny") return decision === "allow";
	throw new AppError("BAD_REQUEST", { message: "The form has no decision. Open the page again." });
}
