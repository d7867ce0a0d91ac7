import * as z from "zod";
import { EXAMPLE_ORIGIN } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { configuredProviders } from "./attempt.ts";

const signInProvider = z
	.object({
		id: z.string().describe("The provider's id: `github` or `oidc`."),
		name: z.string().describe("The provider's name, for people."),
		sign_in_url: z.url().describe("Open this URL in a browser to sign in."),
	})
	.meta({ id: "SignInProvider", description: "A way to sign in." });

export const listSignInProviders = endpoint({
	method: "get",
	path: "/api/auth/providers",
	operationId: "listSignInProviders",
	summary: "List the ways to sign in",
	description: "Those that this deployment is configured for; perhaps none.",
	tags: ["Internal"],
	auth: "none",
	rate: "general",
	response: {
		status: 200,
		description: "The ways to sign in.",
		schema: z.object({ providers: z.array(signInProvider).describe("The ways to sign in. Empty if this deployment has none.") }),
	},
	errors: [],
	examples: {
		responses: {
			configured: {
				value: { providers: [{ id: "github", name: "GitHub", sign_in_url: `${EXAMPLE_ORIGIN}/api/auth/sign-in/github` }] },
			},
			none: { summary: "A deployment without human sign-in", value: { providers: [] } },
		},
	},

	async handle(ctx) {
		const providers = configuredProviders(ctx.config).map(({ id, name }) => ({
			id,
			name,
			sign_in_url: `${ctx.baseUrl}/api/auth/sign-in/${id}`,
		}));
		return { providers };
	},
});
