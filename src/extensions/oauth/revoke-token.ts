import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { assertWithinLimit } from "../../http/rate-limit.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import { FORM, readForm } from "./authorization.ts";
import { NO_STORE, OAUTH_ERRORS, oauthError } from "./errors.ts";
import { assertWithinNetworkLimit, callHolder } from "./redeem-token.ts";
import { REVOKE_PATH } from "./rules.ts";

export const revokeToken = endpoint({
	method: "post",
	path: REVOKE_PATH,
	operationId: "revokeToken",
	owner: "oauth",
	summary: "Revoke a token",
	description:
		"Token revocation (RFC 7009). Revoking an access token ends only that token; revoking a refresh token ends the whole grant. Only the token's client can revoke it. The response is the same for an unknown token.",
	tags: ["OAuth"],
	auth: "none",
	rate: "none",
	pausedBy: ["writes"],
	rawBody: {
		...FORM,
		schema: z.object({
			token: z.string().max(4_096).describe("The access token or refresh token."),
			token_type_hint: z.string().max(4_096).optional().describe("`access_token` or `refresh_token`."),
			client_id: z.string().max(4_096).optional().describe("The client's id, unless it authenticates with a secret in the header."),
			client_secret: z.string().max(4_096).optional().describe("The client's secret, if it has one and does not send it in the header."),
		}),
	},
	response: { status: 200, description: "The token no longer works.", schema: z.object({}) },
	errorBody: OAUTH_ERRORS,
	errors: ["BAD_REQUEST", "UNAUTHORIZED", "RATE_LIMITED", "FILE_TOO_LARGE"],
	page: "guides/connect-a-program",
	examples: {
		rawBodies: {
			refresh: {
				summary: "Disconnect",
				value: {
					token: "01928f6e-6c8a-7cc1-9f6e-6a5b0a1c2d3e:kK3nV2r0Q4dXbT9s:Xr3mF0aVb7cQ1tZs9uWy2kLp6nHd4gJe",
					client_id: "kK3nV2r0Q4dXbT9s",
				},
			},
		},
		responses: { revoked: { value: {} } },
	},

	async handle(ctx, { request }) {
		await assertWithinNetworkLimit(ctx);
		const form = new URLSearchParams(await readForm(ctx, request));
		const token = form.get("token");
		if (token === null || token === "") return oauthError("invalid_request", "Send token.");
		await assertWithinLimit(ctx, "redeeming", { key: await sha256Hex(token), of: "one code or token" });
		// The library tells a revocation from a token request by this field.
		form.delete("grant_type");
		const response = await callHolder(ctx, request, { form, presented: token });
		return response === null || response.ok ? Response.json({}, { headers: NO_STORE }) : response;
	},
});
