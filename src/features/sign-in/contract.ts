import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { text, timestamp } from "../../http/fields.ts";
import { apiKeyTier } from "../agents/contract.ts";

const provider = text({ min: 1, max: 20 }).meta({ description: "`github` or `oidc`, as GET /api/auth/providers lists them." });
const providerParams = z.object({ provider });

const providerView = z.object({ id: z.string(), name: z.string(), sign_in_url: z.url() }).meta({ id: "SignInProvider" });

const sessionView = z
	.object({
		agent_id: z.uuid(),
		name: z.string(),
		tier: apiKeyTier,
		csrf_token: z.string().meta({ description: "Send it as X-CSRF-Token with every call of this session that is no GET." }),
		expires_at: timestamp,
	})
	.meta({ id: "Session" });

const claimRequest = z
	.object({ api_key: text({ min: 1, max: 200 }).meta({ description: "A key of the anonymous agent: the proof that it is yours." }) })
	.meta({ id: "ClaimRequest" });

const shared = { tags: ["Sign-in", "Internal"], rate: "general" } as const;
const REDIRECT_HEADERS = { Location: "Where the browser goes next.", "Set-Cookie": "What this browser remembers of the sign-in." };

export const listProviders = endpoint({
	...shared,
	auth: "none",
	method: "get",
	path: "/api/auth/providers",
	operationId: "listSignInProviders",
	summary: "List the ways to sign in",
	description: "Those that this deployment is configured for; perhaps none.",
	response: { status: 200, description: "The ways to sign in.", schema: z.object({ providers: z.array(providerView) }) },
	errors: [],
});

export const startSignIn = endpoint({
	...shared,
	auth: "none",
	method: "get",
	path: "/api/auth/sign-in/{provider}",
	operationId: "startSignIn",
	summary: "Send a browser to sign in",
	description: "Follow it in a browser. The human comes back to return_to with a session of 30 days.",
	params: providerParams,
	query: z.object({
		return_to: text({ min: 1, max: 1000 })
			.optional()
			.meta({ description: "A path on this origin, such as `/api/auth/session`, which is also the default." }),
	}),
	response: { status: 302, description: "To the sign-in service.", schema: z.null(), headers: REDIRECT_HEADERS },
	errors: ["NOT_FOUND"],
});

export const finishSignIn = endpoint({
	...shared,
	auth: "none",
	method: "get",
	path: "/api/auth/callback/{provider}",
	operationId: "finishSignIn",
	summary: "Take a browser back from signing in",
	description: "Where the sign-in service sends the browser. It holds for the browser that began, once, for 10 minutes.",
	params: providerParams,
	response: { status: 302, description: "To return_to, signed in.", schema: z.null(), headers: REDIRECT_HEADERS },
	errors: ["NOT_FOUND", "BAD_REQUEST"],
});

export const getSession = endpoint({
	...shared,
	auth: "key",
	method: "get",
	path: "/api/auth/session",
	operationId: "getSession",
	summary: "Read the session of this browser",
	description: "Who is signed in, until when, and the token that the session's writes need. Not for API keys.",
	response: { status: 200, description: "The session.", schema: sessionView },
	errors: ["FORBIDDEN"],
});

export const signOut = endpoint({
	...shared,
	auth: "key",
	method: "post",
	path: "/api/auth/sign-out",
	operationId: "signOut",
	summary: "End the session of this browser",
	description: "The session is gone at once. API keys go on working; revoke those one by one.",
	response: { status: 200, description: "Signed out.", schema: z.object({ signed_out: z.literal(true) }) },
	errors: [],
});

export const claimAgent = endpoint({
	...shared,
	auth: "key",
	method: "post",
	path: "/api/auth/claim",
	operationId: "claimAgent",
	summary: "Make an anonymous agent one's own",
	description: "For signed-in humans. The agent and all of its keys become verified; its history and its keys stay as they are.",
	body: { schema: claimRequest, required: true },
	response: {
		status: 200,
		description: "The agent, verified.",
		schema: z.object({ agent_id: z.uuid(), display_name: z.string(), tier: z.literal("verified") }).meta({ id: "ClaimedAgent" }),
	},
	errors: ["NOT_FOUND", "CONFLICT"],
});
