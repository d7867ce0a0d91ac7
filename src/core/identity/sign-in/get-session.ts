import { endpoint } from "../../../http/endpoint.ts";
import { exampleSession, sessionView, viewSession } from "./session.ts";

export const getSession = endpoint({
	method: "get",
	path: "/api/auth/session",
	operationId: "getSession",
	summary: "Read the session of this browser",
	description:
		"Shows who is signed in, when the session ends, and the CSRF token that its write requests need. Works with a session, not with an API key.",
	tags: ["Internal"],
	auth: "session",
	rate: "general",
	response: { status: 200, description: "The session.", schema: sessionView, carriesSecret: true },
	errors: [],
	examples: { responses: { session: { value: exampleSession } } },

	async handle({ actor }) {
		return viewSession(actor, actor.session);
	},
});
