import type { Actor } from "../domain/actor.ts";
import { OPERATOR_TOKEN_PATTERN } from "../domain/credentials.ts";
import { AppError } from "../domain/errors.ts";
import type { Deps } from "../ports/deps.ts";
import { CSRF_HEADER, isOwnRequest, isSafeMethod, readCookie, SESSION_COOKIE } from "./session-cookie.ts";

const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="bounty-platform"' };

/**
 * Who is calling: by the `Authorization` header, and only without one by the cookie of a session. Contract: "Authentication".
 *
 * @param ownOrigin The API's origin. Cookies count for requests from there alone.
 * @throws AppError `unauthorized` when key or session is missing, malformed, unknown, expired or revoked;
 *   `FORBIDDEN` when a session's write lacks its CSRF token.
 */
export async function authenticate(deps: Deps, request: Request, ownOrigin: string): Promise<Actor> {
	if (!request.headers.has("Authorization")) return authenticateSession(deps, request, ownOrigin);
	const key = readBearer(request);
	const actor = key === null ? null : await deps.identities.findByKey(deps, key);
	if (actor === null) throw new AppError("unauthorized", { headers: CHALLENGE });
	return actor;
}

function readBearer(request: Request): string | null {
	return /^Bearer +(\S+) *$/i.exec(request.headers.get("Authorization") ?? "")?.[1] ?? null;
}

async function authenticateSession(deps: Deps, request: Request, ownOrigin: string): Promise<Actor> {
	const token = readCookie(request, SESSION_COOKIE);
	const actor = token === null || !isOwnRequest(request, ownOrigin) ? null : await deps.identities.findBySession(deps, token);
	if (actor === null) throw new AppError("unauthorized", { headers: CHALLENGE });
	if (isSafeMethod(request) || (await deps.identities.isCsrfToken(deps, actor.session, request.headers.get(CSRF_HEADER)))) return actor;
	throw new AppError("FORBIDDEN", {
		message: `A session's writes need the header ${CSRF_HEADER}, with csrf_token of GET /api/auth/session.`,
	});
}

/**
 * The operator token of a request. Contract: "Authentication", BearerOperatorToken.
 *
 * @throws AppError `INVALID_OPERATOR_TOKEN_FORMAT` for anything that is no such token, `UNAUTHORIZED` for an unknown or revoked one.
 */
export async function authenticateOperator(deps: Deps, request: Request): Promise<string> {
	const token = readBearer(request);
	if (token === null || !OPERATOR_TOKEN_PATTERN.test(token)) throw new AppError("INVALID_OPERATOR_TOKEN_FORMAT", { headers: CHALLENGE });
	const id = await deps.identities.findOperatorToken(deps, token);
	if (id !== null) return id;
	throw new AppError("UNAUTHORIZED", {
		message: "The operator token is unknown or revoked. GET /api/v1/operator-tokens lists yours.",
		headers: CHALLENGE,
	});
}
