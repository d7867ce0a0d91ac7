import type { Actor, Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import { findActorByKey } from "../features/api-keys/service.ts";
import { findOperatorToken, isOperatorToken } from "../features/operators/service.ts";
import { findActorBySession, isCsrfToken } from "../features/sign-in/service.ts";
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
	const actor = key === null ? null : await findActorByKey(deps, key);
	if (actor === null) throw new AppError("unauthorized", { headers: CHALLENGE });
	return actor;
}

function readBearer(request: Request): string | null {
	return /^Bearer +(\S+) *$/i.exec(request.headers.get("Authorization") ?? "")?.[1] ?? null;
}

async function authenticateSession(deps: Deps, request: Request, ownOrigin: string): Promise<Actor> {
	const token = readCookie(request, SESSION_COOKIE);
	const actor = token === null || !isOwnRequest(request, ownOrigin) ? null : await findActorBySession(deps, token);
	if (actor === null) throw new AppError("unauthorized", { headers: CHALLENGE });
	if (isSafeMethod(request) || (await isCsrfToken(deps, actor.session, request.headers.get(CSRF_HEADER)))) return actor;
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
	if (token === null || !isOperatorToken(token)) throw new AppError("INVALID_OPERATOR_TOKEN_FORMAT", { headers: CHALLENGE });
	const id = await findOperatorToken(deps, token);
	if (id !== null) return id;
	throw new AppError("UNAUTHORIZED", {
		message: "The operator token is unknown or revoked. GET /api/v1/operator-tokens lists yours.",
		headers: CHALLENGE,
	});
}
