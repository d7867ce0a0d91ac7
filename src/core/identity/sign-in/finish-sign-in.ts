import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { formatCookie, readCookie, SESSION_COOKIE } from "../../../http/session-cookie.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import type { Deps } from "../../../ports/deps.ts";
import { ATTEMPT_COOKIE, getProvider, providerParams, REDIRECT_HEADERS, readAttempt, redirect } from "./attempt.ts";
import { type Account, toSignInError } from "./provider.ts";
import { SESSION_TTL_MS } from "./rules.ts";
import { newSession, newUser } from "./service.ts";
import { endSession, insertSession } from "./statements.ts";
import { findUserId } from "./store.ts";

export const finishSignIn = endpoint({
	method: "get",
	path: "/api/auth/callback/{provider}",
	operationId: "finishSignIn",
	summary: "Finish a sign-in",
	description: [
		"The sign-in service redirects the browser to this URL. It works once, within 10 minutes, in the browser that started the sign-in.",
		"The sign-in service adds the query parameters: `code` and `state`, or `error`.",
	].join("\n\n"),
	tags: ["Internal"],
	auth: "none",
	rate: "general",
	pausedBy: ["writes"],
	params: providerParams,
	response: {
		status: 302,
		description: "Redirects to return_to. The browser is signed in.",
		schema: z.null(),
		headers: REDIRECT_HEADERS,
		carriesSecret: true,
	},
	errors: ["NOT_FOUND", "BAD_REQUEST", "DATABASE_FULL"],
	examples: { params: { provider: "github" } },

	handle: (ctx, { params, request }) =>
		onlyOnce(async () => {
			const provider = getProvider(ctx, params.provider);
			const attempt = await readAttempt(ctx, readCookie(request, ATTEMPT_COOKIE));
			if (attempt === null || attempt.provider !== provider.id || attempt.expiresAt <= ctx.clock.now()) {
				throw new AppError("BAD_REQUEST", { message: "This sign-in was started in another browser, or too long ago. Start it again." });
			}
			const account = await provider.identify(ctx, attempt, new URL(request.url)).catch((error: unknown) => {
				throw toSignInError(ctx, error);
			});
			const token = await createSession(ctx, account, readCookie(request, SESSION_COOKIE));
			return redirect(attempt.returnUrl, [formatCookie(SESSION_COOKIE, token, SESSION_TTL_MS), formatCookie(ATTEMPT_COOKIE, "", 0)]);
		}),
});

/** Runs the rest of a sign-in. An `AppError` also deletes the attempt's cookie, so that the callback cannot be repeated. */
async function onlyOnce<T>(finish: () => Promise<T>): Promise<T> {
	try {
		return await finish();
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		const headers = { ...error.facts.headers, "Set-Cookie": formatCookie(ATTEMPT_COOKIE, "", 0) };
		throw new AppError(error.code, { ...error.facts, message: error.message, headers });
	}
}

/**
 * Opens a session for a human, and ends the browser's previous session. If the human has never signed in before, creates the human and
 * their agent too.
 *
 * @returns The token of the new session.
 */
async function createSession(deps: Deps, account: Account, earlierToken: string | null): Promise<string> {
	const { token, row } = await newSession(deps);
	const ended = earlierToken === null ? [] : endSession(deps, await sha256Hex(earlierToken));
	await decideAndCommit(deps.db, async () => {
		const userId = await findUserId(deps, account);
		const user = userId === null ? await newUser(deps, account) : { id: userId, statements: [] };
		await commit(deps.db, [...user.statements, insertSession(deps, { ...row, userId: user.id }), ...ended]);
	});
	return token;
}
