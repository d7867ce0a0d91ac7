import * as z from "zod";
import { commit } from "../../../db/commit.ts";
import { endpoint, Reply } from "../../../http/endpoint.ts";
import { formatCookie, SESSION_COOKIE } from "../../../http/session-cookie.ts";
import { endSession } from "./statements.ts";

export const signOut = endpoint({
	method: "post",
	path: "/api/auth/sign-out",
	operationId: "signOut",
	summary: "End the session of this browser",
	description: "The session ends at once. API keys keep working until you revoke them.",
	tags: ["Internal"],
	auth: "session",
	rate: "general",
	response: {
		status: 200,
		description: "Signed out.",
		schema: z.object({ signed_out: z.literal(true).describe("Always true: the session has ended.") }),
		headers: { "Set-Cookie": "Deletes the session's cookie." },
	},
	errors: [],
	examples: { responses: { done: { value: { signed_out: true } } } },

	async handle(ctx) {
		await commit(ctx.db, endSession(ctx, ctx.actor.session.hash));
		return new Reply({ signed_out: true as const }, { "Set-Cookie": formatCookie(SESSION_COOKIE, "", 0) });
	},
});
