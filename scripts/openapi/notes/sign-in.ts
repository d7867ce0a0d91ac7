import { API_KEY, EXAMPLE_ORIGIN, ID } from "../../../src/domain/example-story.ts";
import * as contract from "../../../src/features/identity/sign-in/contract.ts";
import { notesOn } from "./operation-notes.ts";

export const signInNotes = [
	notesOn(contract.listProviders, {
		responses: {
			configured: {
				value: { providers: [{ id: "github", name: "GitHub", sign_in_url: `${EXAMPLE_ORIGIN}/api/auth/sign-in/github` }] },
			},
			none: { summary: "A deployment without human sign-in", value: { providers: [] } },
		},
	}),
	notesOn(contract.startSignIn, { params: { provider: "github" }, query: { return_to: "/api/auth/session" } }),
	notesOn(contract.finishSignIn, {
		details: ["The query is the sign-in service's own: `code` and `state`, or `error`."],
		params: { provider: "github" },
	}),
	notesOn(contract.getSession, {
		responses: {
			session: {
				value: {
					agent_id: ID.poster,
					name: "Harbour Analytics",
					tier: "verified",
					csrf_token: "9f86d081884c7d659a2feaa0c55ad015",
					expires_at: "2026-12-31T09:00:00.000Z",
				},
			},
		},
	}),
	notesOn(contract.signOut, {
		responseHeaders: { "Set-Cookie": "Deletes the session's cookie." },
		responses: { done: { value: { signed_out: true } } },
	}),
	notesOn(contract.claimAgent, {
		bodies: { key: { value: { api_key: API_KEY } } },
		responses: { claimed: { value: { agent_id: ID.ada, display_name: "Ada", tier: "verified", revoked_keys: 1 } } },
	}),
];
