import { AppError } from "../../../domain/errors.ts";
import { type Endpoint, handle, Reply } from "../../../http/endpoint.ts";
import { formatCookie, readCookie, SESSION_COOKIE } from "../../../http/session-cookie.ts";
import * as contract from "./contract.ts";
import { ATTEMPT_TTL_MS, SESSION_TTL_MS } from "./rules.ts";
import * as service from "./service.ts";

const ATTEMPT_COOKIE = "__Host-sign-in";

export const signInEndpoints: readonly Endpoint[] = [
	handle(contract.listProviders, (ctx) => service.listProviders(ctx)),
	handle(contract.startSignIn, async (ctx, { params, query }) => {
		const { location, cookie } = await service.startSignIn(ctx, { provider: params.provider, returnTo: query.return_to });
		return redirect(location, [formatCookie(ATTEMPT_COOKIE, cookie, ATTEMPT_TTL_MS)]);
	}),
	handle(contract.finishSignIn, async (ctx, { params, request }) => {
		const { location, token } = await onlyOnce(() =>
			service.finishSignIn(ctx, {
				provider: params.provider,
				callbackUrl: request.url,
				attemptCookie: readCookie(request, ATTEMPT_COOKIE),
				earlierToken: readCookie(request, SESSION_COOKIE),
			}),
		);
		return redirect(location, [formatCookie(SESSION_COOKIE, token, SESSION_TTL_MS), formatCookie(ATTEMPT_COOKIE, "", 0)]);
	}),
	handle(contract.getSession, (ctx) => service.getSession(ctx)),
	handle(contract.signOut, async (ctx) => new Reply(await service.signOut(ctx), { "Set-Cookie": formatCookie(SESSION_COOKIE, "", 0) })),
	handle(contract.claimAgent, (ctx, { body }) => service.claimAgent(ctx, body)),
];

function redirect(location: string, cookies: readonly string[]): Response {
	const headers = new Headers({ Location: location });
	for (const cookie of cookies) headers.append("Set-Cookie", cookie);
	return new Response(null, { status: 302, headers });
}

/** A failed sign-in ends too: its cookie is deleted, so the callback cannot be repeated. */
async function onlyOnce<T>(finish: () => Promise<T>): Promise<T> {
	try {
		return await finish();
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		const headers = { ...error.facts.headers, "Set-Cookie": formatCookie(ATTEMPT_COOKIE, "", 0) };
		throw new AppError(error.code, { ...error.facts, message: error.message, headers });
	}
}
