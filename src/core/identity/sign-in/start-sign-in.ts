import * as z from "zod";
import { endpoint } from "../../../http/endpoint.ts";
import { text } from "../../../http/fields.ts";
import { formatCookie } from "../../../http/session-cookie.ts";
import { randomHex } from "../../../platform/crypto.ts";
import { ATTEMPT_COOKIE, encryptAttempt, getProvider, providerParams, REDIRECT_HEADERS, redirect } from "./attempt.ts";
import { ATTEMPT_TTL_MS, resolveReturnUrl } from "./rules.ts";

/**
 * The maximum length of `return_to`: long enough for a program's request for access. With a longer path, the encrypted cookie would come
 * close to the 4,096 bytes that browsers store.
 */
const MAX_RETURN_TO = 2_000;

export const startSignIn = endpoint({
	method: "get",
	path: "/api/auth/sign-in/{provider}",
	operationId: "startSignIn",
	summary: "Start a sign-in in a browser",
	description: "Open this URL in a browser. After sign-in, the browser returns to return_to with a session that lasts 30 days.",
	tags: ["Internal"],
	auth: "none",
	rate: "general",
	pausedBy: ["writes"],
	params: providerParams,
	query: z.object({
		return_to: text({ min: 1, max: MAX_RETURN_TO })
			.optional()
			.describe("A path on this origin to return to. Anything else is replaced by the default, `/api/auth/session`."),
	}),
	response: {
		status: 302,
		description: "Redirects to the sign-in service.",
		schema: z.null(),
		headers: REDIRECT_HEADERS,
		carriesSecret: true,
	},
	errors: ["NOT_FOUND"],
	examples: { params: { provider: "github" }, query: { return_to: "/api/auth/session" } },

	async handle(ctx, { params, query }) {
		const provider = getProvider(ctx, params.provider);
		const attempt = {
			provider: provider.id,
			state: randomHex(32),
			nonce: randomHex(32),
			codeVerifier: randomHex(32),
			redirectUri: `${ctx.baseUrl}/api/auth/callback/${provider.id}`,
			returnUrl: resolveReturnUrl(query.return_to, ctx.baseUrl),
			expiresAt: ctx.clock.now() + ATTEMPT_TTL_MS,
		};
		const location = await provider.authorizationUrl(ctx, attempt);
		return redirect(location.href, [formatCookie(ATTEMPT_COOKIE, await encryptAttempt(ctx, attempt), ATTEMPT_TTL_MS)]);
	},
});
