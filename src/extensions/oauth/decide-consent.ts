import * as z from "zod";
import { commit, unlessStale } from "../../db/commit.ts";
import type { SessionActor } from "../../domain/actor.ts";
import { AppError } from "../../domain/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import {
	type Authorization,
	assertRoom,
	authorizationQuery,
	EXAMPLE_AUTHORIZATION,
	FORM,
	getSession,
	grantRowOf,
	holderOf,
	readAuthorization,
	readForm,
} from "./authorization.ts";
import { nameOf } from "./clients.ts";
import { FORM_PAGE, NO_STORE, OAUTH_ERRORS } from "./errors.ts";
import { loadLibrary } from "./library.ts";
import { CONSENT_HEADERS } from "./page.ts";
import { AUTHORIZE_PATH } from "./rules.ts";
import { readDecision } from "./show-consent.ts";
import { endReplaced, guardGrantCount, guardGranter, insertGrant } from "./statements.ts";

export const decideConsent = endpoint({
	method: "post",
	path: AUTHORIZE_PATH,
	operationId: "decideConsent",
	owner: "oauth",
	summary: "Allow or deny a program",
	description:
		"The form on the consent page sends this request. It repeats the parameters of the authorization request, which are checked again, with `decision` (`allow` or `deny`) and `csrf_token`. The browser then returns to the program with a code that is valid once, for 60 seconds.",
	tags: ["OAuth"],
	auth: "none",
	rate: "mutation",
	pausedBy: ["writes"],
	rawBody: {
		...FORM,
		description: "The form on the page that asks for the decision.",
		schema: authorizationQuery.extend({
			decision: z.enum(["allow", "deny"]).describe("The person's decision."),
			csrf_token: z.string().max(4_096).describe("The CSRF token of the page with the form."),
		}),
	},
	response: {
		status: 302,
		description: "Redirects back to the program, with `code` or `error`.",
		schema: z.null(),
		headers: { Location: "Where the browser goes next." },
		carriesSecret: true,
	},
	errorBody: OAUTH_ERRORS,
	errors: ["BAD_REQUEST", "FORBIDDEN", "CONFLICT", "FILE_TOO_LARGE"],
	page: "guides/connect-a-program",
	examples: {
		rawBodies: { allowed: { value: { ...EXAMPLE_AUTHORIZATION, csrf_token: "9f86d081884c7d659a2feaa0c55ad015", decision: "allow" } } },
	},

	async handle(ctx, { request }) {
		const form = new URLSearchParams(await readForm(ctx, request));
		const actor = await getSession(ctx, request, form);
		const authorization = await readAuthorization(ctx, form);
		if ("refusal" in authorization) return goTo(authorization.refusal);
		if (readDecision(form)) return goTo(await grant(ctx, actor, authorization));
		const { authorizationErrorRedirect } = await loadLibrary();
		return goTo(authorizationErrorRedirect(authorization.request, "access_denied", "The person denied access."));
	},
});

/**
 * Creates a grant, which replaces an earlier grant of the same program. Returns the URL to which the browser takes the code.
 *
 * @throws AppError `CONFLICT` if the agent has too many grants, `FORBIDDEN` if the session or its key has ended in the meantime.
 */
async function grant(ctx: PublicCtx, actor: SessionActor, { client, request, scope }: Authorization): Promise<string> {
	const holder = holderOf(actor);
	const call = { baseUrl: ctx.baseUrl, client, now: ctx.clock.now() };
	const { redirectTo, key } = await ctx.hubs.callGrants(holder, (object) => object.approve({ ...call, holder, request, scope }));
	const row = { ...grantRowOf(ctx, actor, { client, scope }), key, clientName: nameOf(client), redirectUri: request.redirectUri };
	const statements = [guardGranter(ctx, row), ...endReplaced(ctx, row), guardGrantCount(ctx, row.agentId), insertGrant(ctx, row)];
	if (await unlessStale(() => commit(ctx.db, statements))) return redirectTo;
	await assertRoom(ctx, row.agentId);
	throw new AppError("FORBIDDEN", { message: "Your session has ended. Sign in, and connect the program again." });
}

function goTo(location: string): Response {
	return new Response(null, { status: 302, headers: { ...NO_STORE, ...FORM_PAGE, ...CONSENT_HEADERS, Location: location } });
}
