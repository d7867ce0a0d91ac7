import * as z from "zod";
import { stopKeys } from "../../core/identity/api-keys/service.ts";
import { commit, unlessStale } from "../../db/commit.ts";
import { endpoint } from "../../http/endpoint.ts";
import { assertWithinLimit } from "../../http/rate-limit.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import type { TokenReply } from "../../ports/grants.ts";
import { FORM, readForm } from "./authorization.ts";
import { readClient } from "./clients.ts";
import { authenticateClient } from "./device-codes.ts";
import { NO_STORE, OAUTH_ERRORS, oauthError } from "./errors.ts";
import { pollDevice } from "./poll-device.ts";
import { canonicalResource, DEVICE_GRANT_TYPE, holderOfKey, keyOfCode, TOKEN_PATH } from "./rules.ts";
import { endGrantsOfKeys, endTokens, guardGrant, insertToken } from "./statements.ts";
import { findUsableGrant } from "./store.ts";

export const redeemToken = endpoint({
	method: "post",
	path: TOKEN_PATH,
	operationId: "redeemToken",
	owner: "oauth",
	summary: "Exchange a code or a refresh token for an access token",
	description: [
		"The token endpoint of OAuth 2.1. It supports the grant types `authorization_code`, `refresh_token` and the device code of RFC 8628. Access tokens are valid for an hour. Refresh tokens are valid for 30 days, and each is replaced when it is used.",
		"Using a code twice ends its grant, and so does reusing a refresh token after its replacement was used.",
	].join("\n\n"),
	tags: ["OAuth"],
	auth: "none",
	rate: "none",
	pausedBy: ["writes"],
	rawBody: {
		...FORM,
		schema: z.object({
			grant_type: z.string().max(4_096).describe(`\`authorization_code\`, \`refresh_token\` or \`${DEVICE_GRANT_TYPE}\`.`),
			code: z.string().max(4_096).optional().describe("The code that came with the redirect."),
			redirect_uri: z.string().max(4_096).optional().describe("The redirect URI of the authorization."),
			code_verifier: z.string().max(4_096).optional().describe("The PKCE verifier."),
			refresh_token: z.string().max(4_096).optional().describe("The newest refresh token."),
			device_code: z.string().max(4_096).optional().describe("The device code."),
			client_id: z.string().max(4_096).optional().describe("The client's id, unless it authenticates with a secret in the header."),
			client_secret: z.string().max(4_096).optional().describe("The client's secret, if it has one and does not send it in the header."),
			scope: z.string().max(4_096).optional().describe("A part of the granted scope."),
			resource: z.string().max(4_096).optional().describe("The origin of this deployment, or the URL of its MCP server."),
		}),
	},
	response: {
		status: 200,
		description: "The tokens.",
		schema: z
			.looseObject({
				access_token: z.string().describe("Send it as `Authorization: Bearer`."),
				token_type: z.string().describe("Always `bearer`."),
				expires_in: z.int().describe("Seconds until the access token expires."),
				refresh_token: z.string().describe("Exchange this for new tokens. It works once."),
				scope: z.string().describe("`read`, or `read act`."),
			})
			.meta({ id: "OAuthTokens", description: "An access token and its refresh token." }),
		carriesSecret: true,
	},
	errorBody: OAUTH_ERRORS,
	errors: ["BAD_REQUEST", "UNAUTHORIZED", "RATE_LIMITED", "FILE_TOO_LARGE"],
	page: "guides/connect-a-program",
	examples: {
		rawBodies: {
			code: {
				summary: "Exchange a code",
				value: {
					grant_type: "authorization_code",
					code: "01928f6e-6c8a-7cc1-9f6e-6a5b0a1c2d3e:kK3nV2r0Q4dXbT9s:Xr3mF0aVb7cQ1tZs9uWy2kLp6nHd4gJe",
					redirect_uri: "http://127.0.0.1:9001/callback",
					code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
					client_id: "kK3nV2r0Q4dXbT9s",
				},
			},
		},
		responses: {
			tokens: {
				value: {
					...{
						access_token: "0192…:kK3nV2r0Q4dXbT9s:…",
						token_type: "bearer",
						expires_in: 3_600,
						refresh_token: "0192…:kK3nV2r0Q4dXbT9s:…",
					},
					scope: "read act",
				},
			},
		},
	},

	async handle(ctx, { request }) {
		await assertWithinNetworkLimit(ctx);
		const form = new URLSearchParams(await readForm(ctx, request));
		const type = form.get("grant_type");
		const name = NAMES.get(type ?? "");
		if (type === null) return oauthError("invalid_request", "Send grant_type.");
		if (name === undefined)
			return oauthError("unsupported_grant_type", `This server supports these grant types: ${[...NAMES.keys()].join(", ")}.`);
		const presented = form.get(name);
		if (presented === null || presented === "") return oauthError("invalid_request", `Send ${name}.`);
		await assertWithinLimit(ctx, "redeeming", { key: await sha256Hex(presented), of: "one code or token" });
		if (type === DEVICE_GRANT_TYPE) {
			const client = await authenticateClient(ctx, request, form);
			return client instanceof Response ? client : pollDevice(ctx, presented, client.clientId);
		}
		return (await callHolder(ctx, request, { form, presented })) ?? NO_GRANT();
	},
});

/** The field with the secret, by grant type. */
const NAMES = new Map([
	["authorization_code", "code"],
	["refresh_token", "refresh_token"],
	[DEVICE_GRANT_TYPE, "device_code"],
]);

export async function assertWithinNetworkLimit(ctx: PublicCtx): Promise<void> {
	await assertWithinLimit(ctx, "opening", { key: `tokens of ${ctx.network}`, of: "one network" });
}

const NO_GRANT = () => oauthError("invalid_grant", "The grant has ended, or the code or token is wrong. Connect the program again.");

/**
 * Lets the holder's object exchange or revoke a token. Stores the result in the directory before the client gets the response.
 *
 * @returns Null if what the program presented belongs to no grant, or if its grant has ended.
 */
export async function callHolder(
	ctx: PublicCtx,
	request: Request,
	{ form, presented }: { readonly form: URLSearchParams; readonly presented: string },
): Promise<Response | null> {
	const key = keyOfCode(presented);
	const grant = key === null ? null : await findUsableGrant(ctx, key);
	if (key === null || grant === null) return null;
	const client = readClient(grant);
	if (client === null) return null;
	if (!useOwnResource(form, ctx.baseUrl)) return oauthError("invalid_target", "The resource must be this deployment.");
	const call = { baseUrl: ctx.baseUrl, client, now: ctx.clock.now(), key, form: form.toString() };
	const header = request.headers.get("Authorization");
	const authorization = header !== null && /^basic /i.test(header) ? header : null;
	const reply = await ctx.hubs.callGrants(holderOfKey(key), (object) => object.callToken({ ...call, authorization }));
	// A client repeats a revocation that did not reach the directory. By then the object no longer has the token and does not report it, so
	// always end the presented token.
	const isRevocation = !form.has("grant_type") && reply.status === 200;
	const ended = [...reply.revoked, ...(isRevocation ? [await sha256Hex(presented)] : [])];
	if (reply.hasEnded) {
		stopKeys(ctx, [grant.id]);
		await commit(ctx.db, endGrantsOfKeys(ctx, [key]));
	} else if (ended.length > 0) {
		stopKeys(ctx, ended);
		await commit(ctx.db, endTokens(ctx, { grantId: grant.id, hashes: ended }));
	}
	return respond(ctx, reply);
}

/**
 * Replaces each `resource` in a form with the deployment's audience. Ignores empty values.
 * Returns false if a resource belongs to another deployment.
 */
export function useOwnResource(form: URLSearchParams, baseUrl: string): boolean {
	const resources = form.getAll("resource").filter((resource) => resource !== "");
	form.delete("resource");
	if (resources.length > 0) form.set("resource", baseUrl);
	return resources.every((resource) => canonicalResource(resource, baseUrl) === baseUrl);
}

/** Stores the issued token, unless the grant has ended in the meantime. */
async function respond(ctx: PublicCtx, reply: TokenReply): Promise<Response> {
	const { issued, key } = reply;
	if (issued !== null) {
		const token = { key, ...issued, now: ctx.clock.now() };
		const isStored = await unlessStale(() => commit(ctx.db, [guardGrant(ctx, key), ...insertToken(ctx, token)]));
		if (!isStored) {
			ctx.background(ctx.hubs.callGrants(holderOfKey(key), (object) => object.end([key])));
			return NO_GRANT();
		}
	}
	const headers = { ...NO_STORE, ...(reply.challenge === null ? {} : { "WWW-Authenticate": reply.challenge }) };
	return new Response(reply.body, { status: reply.status, headers: { "Content-Type": "application/json", ...headers } });
}
