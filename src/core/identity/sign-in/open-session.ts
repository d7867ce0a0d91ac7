import { commit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { endpoint, Reply } from "../../../http/endpoint.ts";
import { formatCookie, isOwnRequest, readCookie, SESSION_COOKIE } from "../../../http/session-cookie.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import { guardCallersKey } from "../api-keys/service.ts";
import { MAX_SESSIONS_OF_CREDENTIAL, SESSION_TTL_MS } from "./rules.ts";
import { describeSession, newSession } from "./service.ts";
import { exampleSession, sessionView, viewSession } from "./session.ts";
import { endOldSessions, endSession, insertSession } from "./statements.ts";

export const openSession = endpoint({
	method: "post",
	path: "/api/auth/session",
	operationId: "openSession",
	summary: "Exchange a key for a session in this browser",
	description: [
		"Sets an HttpOnly cookie that all tabs of the browser share, so that pages do not have to store the key. The session lasts 30 days and acts as the key's agent.",
		"Signing out, or revoking the key, ends the session at once. Signing out does not revoke the key. Opening a session ends the browser's previous one.",
		`Each key can have at most ${MAX_SESSIONS_OF_CREDENTIAL} sessions; opening another ends the oldest.`,
	].join("\n\n"),
	tags: ["Internal"],
	auth: "key",
	isForHolders: true,
	rate: "general",
	response: {
		status: 200,
		description: "The session.",
		schema: sessionView,
		headers: { "Set-Cookie": "The session's cookie." },
		carriesSecret: true,
	},
	errors: ["FORBIDDEN"],
	page: "concepts/identity",
	examples: { responses: { opened: { value: exampleSession } } },

	// A page of another origin must not be able to sign a browser in, and a session must not be able to extend itself.
	async handle(ctx, { request }) {
		const { actor } = ctx;
		if (!isOwnRequest(request, ctx.baseUrl))
			throw new AppError("FORBIDDEN", { message: "Only a page of this platform can open a session." });
		if (actor.session !== null || actor.keyId === null)
			throw new AppError("FORBIDDEN", {
				message: "Send the API key itself as 'Authorization: Bearer svc_sk_...'. A session cannot open another session.",
			});
		const earlier = readCookie(request, SESSION_COOKIE);
		const { token, row } = await newSession(ctx);
		await commit(ctx.db, [
			...guardCallersKey(ctx),
			...(earlier === null ? [] : endSession(ctx, await sha256Hex(earlier))),
			insertSession(ctx, { ...row, keyId: actor.keyId }),
			...endOldSessions(ctx, { column: "key_id", id: actor.keyId, kept: MAX_SESSIONS_OF_CREDENTIAL }),
		]);
		const cookie = { "Set-Cookie": formatCookie(SESSION_COOKIE, token, SESSION_TTL_MS) };
		return new Reply(viewSession(actor, await describeSession(ctx, { ...row, dependsOnKey: actor.keyId })), cookie);
	},
});
