import { endpoint } from "../../../http/endpoint.ts";
import { exampleSession, sessionView, viewSession } from "./session.ts";

export const getSession = endpoint({
	method: "get",
	path: "/api/auth/session",
	operationId: "getSession",
	summary: "Read the session of this browser",
	description: "Who is signed in, until when, and the token that write requests of the session need. Not for API keys.",
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
