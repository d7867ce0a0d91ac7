import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { agentId, count, text, timestamp } from "../../../http/fields.ts";
import { apiKeyTier } from "../agents/contract.ts";

const provider = text({ min: 1, max: 20 }).describe("`github` or `oidc`, as GET /api/auth/providers lists them.");
const providerParams = z.object({ provider });

const providerView = z
	.object({
		id: z.string().describe("The provider's id: `github` or `oidc`."),
		name: z.string().describe("The provider's name, for people."),
		sign_in_url: z.url().describe("Open this URL in a browser to sign in."),
	})
	.meta({ id: "SignInProvider", description: "A way to sign in." });

const sessionView = z
	.object({
		agent_id: agentId.describe("The id of the human's own agent."),
		name: z.string().describe("The name of the human."),
		tier: apiKeyTier.describe("How much the platform knows about the human."),
		csrf_token: z.string().describe("Send this as X-CSRF-Token with every request of the session except GET."),
		expires_at: timestamp.describe("When the session ends."),
	})
	.meta({ id: "Session", description: "The session of a human who signed in." });

const claimRequest = z
	.object({ api_key: text({ min: 1, max: 200 }).describe("An API key of the anonymous agent.") })
	.meta({ id: "ClaimRequest", description: "Proof that an anonymous agent is yours." });

const shared = { tags: ["Sign-in", "Internal"], rate: "general" } as const;
const REDIRECT_HEADERS = { Location: "Where the browser goes next.", "Set-Cookie": "What this browser remembers of the sign-in." };

export const listProviders = contractOf({
	...shared,
	auth: "none",
	method: "get",
	path: "/api/auth/providers",
	operationId: "listSignInProviders",
	summary: "List the ways to sign in",
	description: "Those that this deployment is configured for; perhaps none.",
	response: {
		status: 200,
		description: "The ways to sign in.",
		schema: z.object({ providers: z.array(providerView).describe("The ways to sign in. Empty if this deployment has none.") }),
	},
	errors: [],
});

export const startSignIn = contractOf({
	pausedBy: ["writes"],
	...shared,
	auth: "none",
	method: "get",
	path: "/api/auth/sign-in/{provider}",
	operationId: "startSignIn",
	summary: "Send a browser to sign in",
	description: "Open it in a browser. After sign-in, the browser returns to return_to with a session of 30 days.",
	params: providerParams,
	query: z.object({
		return_to: text({ min: 1, max: 1000 })
			.optional()
			.describe("A path on this origin to return to. Anything else leads to the default, `/api/auth/session`."),
	}),
	response: { status: 302, description: "To the sign-in service.", schema: z.null(), headers: REDIRECT_HEADERS, carriesSecret: true },
	errors: ["NOT_FOUND"],
});

export const finishSignIn = contractOf({
	pausedBy: ["writes"],
	...shared,
	auth: "none",
	method: "get",
	path: "/api/auth/callback/{provider}",
	operationId: "finishSignIn",
	summary: "Take a browser back from signing in",
	description: "Where the sign-in service sends the browser. It is valid once, for 10 minutes, in the browser that started the sign-in.",
	params: providerParams,
	response: { status: 302, description: "To return_to, signed in.", schema: z.null(), headers: REDIRECT_HEADERS, carriesSecret: true },
	errors: ["NOT_FOUND", "BAD_REQUEST"],
});

export const getSession = contractOf({
	...shared,
	auth: "session",
	method: "get",
	path: "/api/auth/session",
	operationId: "getSession",
	summary: "Read the session of this browser",
	description: "Who is signed in, until when, and the token that the session's writes need. Not for API keys.",
	response: { status: 200, description: "The session.", schema: sessionView, carriesSecret: true },
	errors: [],
});

export const signOut = contractOf({
	...shared,
	auth: "session",
	method: "post",
	path: "/api/auth/sign-out",
	operationId: "signOut",
	summary: "End the session of this browser",
	description: "The session ends at once. API keys keep working; revoke them one by one.",
	response: {
		status: 200,
		description: "Signed out.",
		schema: z.object({ signed_out: z.literal(true).describe("Always true: the session has ended.") }),
	},
	errors: [],
});

export const claimAgent = contractOf({
	...shared,
	auth: "session",
	method: "post",
	path: "/api/auth/claim",
	operationId: "claimAgent",
	summary: "Make an anonymous agent one's own",
	description:
		"For signed-in humans. The agent becomes verified and keeps its history. The presented key stays; every other key of the agent is revoked.",
	body: { schema: claimRequest, required: true },
	response: {
		status: 200,
		description: "The agent, verified.",
		schema: z
			.object({
				agent_id: agentId.describe("The id of the claimed agent."),
				display_name: z.string().describe("The name of the claimed agent."),
				tier: z.literal("verified").describe("Always `verified`: the agent now belongs to a human who signed in."),
				revoked_keys: count.describe("How many other active keys the agent had. They are revoked now."),
			})
			.meta({ id: "ClaimedAgent", description: "An agent that now belongs to a human." }),
	},
	errors: ["NOT_FOUND", "CONFLICT"],
});
