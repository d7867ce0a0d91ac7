// Reads the authorization request, for the consent page and for its decision.
import * as z from "zod";
import { type Actor, keyBehind, type Scope, type SessionActor } from "../../domain/actor.ts";
import { AppError } from "../../domain/errors.ts";
import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { text } from "../../http/fields.ts";
import { readBytes } from "../../http/raw-body.ts";
import { isOwnRequest, readCookie, SESSION_COOKIE } from "../../http/session-cookie.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import type { CheckedRequest, StoredClient } from "../../ports/grants.ts";
import { findClient } from "./clients.ts";
import { issuerOf, loadLibrary, storeOfClient } from "./library.ts";
import { AUTHORIZE_PATH, canonicalResource, MAX_GRANTS_OF_AGENT, readScope } from "./rules.ts";
import { hasAllGrants } from "./store.ts";

/** The parameters with which the browser arrives, and which the consent page sends back. */
export const AUTHORIZATION_PARAMETERS = [
	"response_type",
	"client_id",
	"redirect_uri",
	"scope",
	"state",
	"code_challenge",
	"code_challenge_method",
	"resource",
] as const;

const parameter = (meaning: string) => text({ min: 0, max: 4_096 }).optional().meta({ description: meaning });

export const authorizationQuery = z.object({
	response_type: parameter("Always `code`."),
	client_id: parameter("The id of the program, or the URL of its metadata document."),
	redirect_uri: parameter("Where the browser returns to. One of the program's registered redirect URIs."),
	scope: parameter("`read` or `act`. The default is `read`."),
	state: parameter("Returned unchanged."),
	code_challenge: parameter("The PKCE challenge. Required."),
	code_challenge_method: parameter("Always `S256`."),
	resource: parameter("The origin of this deployment, or the URL of its MCP server."),
});

export const EXAMPLE_AUTHORIZATION = {
	response_type: "code",
	client_id: "kK3nV2r0Q4dXbT9s",
	redirect_uri: "http://127.0.0.1:9001/callback",
	scope: "act",
	state: "af0ifjsldkj",
	code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
	code_challenge_method: "S256",
	resource: `${EXAMPLE_ORIGIN}/mcp`,
} as const;

/** What a program requests. */
export interface Authorization {
	readonly client: StoredClient;
	readonly request: CheckedRequest;
	readonly scope: Scope;
}

/**
 * Checks a request for authorization.
 * If the redirect URI is known to belong to the client, a rejection redirects there; otherwise it shows a page.
 *
 * @returns The redirect with the error, or what the program asks for.
 * @throws AppError `BAD_REQUEST`.
 */
export async function readAuthorization(ctx: PublicCtx, given: URLSearchParams): Promise<Authorization | { readonly refusal: string }> {
	const { AuthorizationError, authorizationErrorRedirect } = await loadLibrary();
	const repeated = AUTHORIZATION_PARAMETERS.find((name) => given.getAll(name).length > 1);
	if (repeated !== undefined) throw new AppError("BAD_REQUEST", { message: `The parameter ${repeated} must occur only once.` });
	const client = await findClient(ctx, given.get("client_id") ?? "");
	if (client === null) {
		throw new AppError("BAD_REQUEST", {
			message:
				"This platform does not know the program. If client_id is a URL, the metadata document there could not be read: try again. Otherwise, let the program register again.",
		});
	}
	const api = (await issuerOf(ctx.baseUrl)).getOAuthApi({ OAUTH_KV: storeOfClient(client) });
	try {
		const request = await api.parseAuthRequest(new Request(`${ctx.baseUrl}${AUTHORIZE_PATH}?${queryOf(given, ctx.baseUrl)}`));
		if (request.codeChallenge === undefined || !/^[\w-]{43}$/.test(request.codeChallenge)) {
			const refusal = authorizationErrorRedirect(request, "invalid_request", "PKCE is required: send code_challenge with the method S256.");
			return { refusal };
		}
		return { client, request, scope: readScope(request.scope) };
	} catch (error) {
		if (!(error instanceof AuthorizationError)) throw error;
		if (error.redirectTo !== undefined) return { refusal: error.redirectTo };
		throw new AppError("BAD_REQUEST", { message: `The program sent an invalid request: ${error.description}.` });
	}
}

function queryOf(given: URLSearchParams, baseUrl: string): URLSearchParams {
	const query = new URLSearchParams();
	for (const name of AUTHORIZATION_PARAMETERS) {
		const value = given.get(name);
		if (value !== null) query.set(name, name === "resource" ? canonicalResource(value, baseUrl) : value);
	}
	return query;
}

/**
 * Finds the session of a browser. Ignores keys and tokens in headers, because only a person can consent.
 *
 * @returns Null if no one is signed in.
 * @throws AppError `FORBIDDEN` for a suspended agent.
 */
export async function findSession(ctx: PublicCtx, request: Request): Promise<SessionActor | null> {
	const token = readCookie(request, SESSION_COOKIE);
	if (token === null || !isOwnRequest(request, ctx.baseUrl)) return null;
	const actor = await ctx.identities.findBySession(ctx, token);
	if (actor?.isSuspended === true) {
		throw new AppError("FORBIDDEN", { message: "An operator of this platform has suspended this agent, so it cannot connect programs." });
	}
	return actor;
}

/**
 * @returns The session if the form contains its CSRF token.
 * @throws AppError `FORBIDDEN`.
 */
export async function getSession(ctx: PublicCtx, request: Request, form: URLSearchParams): Promise<SessionActor> {
	const actor = await findSession(ctx, request);
	if (actor !== null && (await ctx.identities.isCsrfToken(ctx, actor.session, form.get("csrf_token")))) return actor;
	throw new AppError("FORBIDDEN", { message: "Your session has ended, or the form was sent from another page. Open the page again." });
}

const MAX_FORM_BYTES = 32 * 1_024;
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Reads a form as text. @throws AppError `BAD_REQUEST` for another content type, `FILE_TOO_LARGE`. */
export async function readForm(ctx: PublicCtx, request: Request): Promise<string> {
	const type = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
	if (type !== FORM_TYPE) throw new AppError("BAD_REQUEST", { message: `Send a form, with the header Content-Type: ${FORM_TYPE}.` });
	const bytes = await readBytes(request, MAX_FORM_BYTES, { faultCode: "BAD_REQUEST", clock: ctx.clock });
	return new TextDecoder().decode(bytes);
}

export const FORM = { contentTypes: [FORM_TYPE], description: "A form." } as const;

/** A grant belongs to the signed-in person. It belongs to the agent if a key opened the session, or if the agent has no person. */
export function holderOf({ userId, agentId, keyId }: Pick<Actor, "userId" | "agentId" | "keyId">): string {
	return keyId === null ? (userId ?? agentId) : agentId;
}

/** @throws AppError `CONFLICT` if an agent already has the maximum number of grants. */
export async function assertRoom(ctx: PublicCtx, agentId: string): Promise<void> {
	if (!(await hasAllGrants(ctx, agentId))) return;
	throw new AppError("CONFLICT", {
		message: `Your agent has ${MAX_GRANTS_OF_AGENT} connected programs, the maximum. Disconnect one in the console, under Programs.`,
	});
}

/** Builds the row of a grant from a session, and returns it with the session's hash. */
export function grantRowOf(ctx: PublicCtx, actor: SessionActor, { client, scope }: Pick<Authorization, "client" | "scope">) {
	return {
		id: ctx.ids.next(),
		sessionHash: actor.session.hash,
		agentId: actor.agentId,
		keyId: keyBehind(actor),
		clientId: client.clientId,
		clientUri: client.clientUri ?? null,
		scope,
		createdAt: ctx.clock.now(),
	};
}
