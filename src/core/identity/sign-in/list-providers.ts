import * as z from "zod";
import { signInWays } from "#fields";
import { EXAMPLE_ORIGIN } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { configuredProviders } from "./attempt.ts";

const signInProvider = z
	.object({
		id: z.string().describe("The id: `github` or `oidc` for a provider, `passkey` for passkeys."),
		name: z.string().describe("The name to show to people."),
		sign_in_url: z
			.url()
			.optional()
			.describe("Open this URL in a browser to sign in. Missing for passkeys, which a page requests from the browser."),
	})
	.meta({ id: "SignInProvider", description: "A way to sign in." });

export const listSignInProviders = endpoint({
	method: "get",
	path: "/api/auth/providers",
	operationId: "listSignInProviders",
	summary: "List the ways to sign in",
	description: "The providers that are configured on this deployment, and passkeys, which need no configuration.",
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
				value: {
					providers: [...signInWays, { id: "github", name: "GitHub", sign_in_url: `${EXAMPLE_ORIGIN}/api/auth/sign-in/github` }],
				},
			},
			none: { summary: "A deployment without providers", value: { providers: [...signInWays] } },
		},
	},

	async handle(ctx) {
		const providers = configuredProviders(ctx.config).map(({ id, name }) => ({
			id,
			name,
			sign_in_url: `${ctx.baseUrl}/api/auth/sign-in/${id}`,
		}));
		return { providers: [...signInWays, ...providers] };
	},
});
