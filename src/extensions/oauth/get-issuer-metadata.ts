import * as z from "zod";
import { SCOPES } from "../../domain/actor.ts";
import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { AUTHORIZE_PATH, DEVICE_AUTHORIZATION_PATH, DEVICE_GRANT_TYPE, REGISTER_PATH, REVOKE_PATH, TOKEN_PATH } from "./rules.ts";

const CLIENT_METHODS = ["none", "client_secret_basic", "client_secret_post"];

export const getIssuerMetadata = endpoint({
	method: "get",
	path: "/.well-known/oauth-authorization-server",
	operationId: "getIssuerMetadata",
	owner: "oauth",
	summary: "Find out how programs sign in",
	description: "Authorization server metadata (RFC 8414). Clients read it automatically.",
	tags: ["OAuth"],
	auth: "none",
	rate: "none",
	shared: { seconds: 300, of: "deployment" },
	response: {
		status: 200,
		description: "The metadata.",
		schema: z
			.object({
				issuer: z.string().describe("The issuer's identifier, which is the origin of the deployment."),
				authorization_endpoint: z.string().describe("Where a person allows or denies access, in a browser."),
				token_endpoint: z.string().describe("Where codes and refresh tokens are exchanged."),
				revocation_endpoint: z.string().describe("Where tokens are revoked."),
				registration_endpoint: z.string().describe("Where programs register."),
				device_authorization_endpoint: z.string().describe("Where devices without a browser begin."),
				scopes_supported: z.array(z.enum(SCOPES)).describe("The scopes. `act` includes `read`."),
				response_types_supported: z.array(z.string()).describe("Only `code`."),
				response_modes_supported: z.array(z.string()).describe("Only `query`."),
				grant_types_supported: z.array(z.string()).describe("How programs get tokens."),
				token_endpoint_auth_methods_supported: z.array(z.string()).describe("How clients authenticate."),
				revocation_endpoint_auth_methods_supported: z.array(z.string()).describe("How clients authenticate to revoke a token."),
				code_challenge_methods_supported: z.array(z.string()).describe("Only `S256`. PKCE is required."),
				authorization_response_iss_parameter_supported: z.boolean().describe("Redirects carry `iss` (RFC 9207)."),
				client_id_metadata_document_supported: z.boolean().describe("Whether a client's id can be the URL of its metadata document."),
				protected_resources: z.array(z.string()).describe("The audience of all tokens."),
				service_documentation: z.string().describe("The guide for people."),
			})
			.meta({ id: "IssuerMetadata", description: "How programs sign in." }),
	},
	errors: [],
	page: "guides/connect-a-program",
	examples: { responses: { metadata: { value: describeIssuer(EXAMPLE_ORIGIN) } } },

	handle: async ({ baseUrl }) => describeIssuer(baseUrl),
});

function describeIssuer(baseUrl: string) {
	return {
		issuer: baseUrl,
		authorization_endpoint: baseUrl + AUTHORIZE_PATH,
		token_endpoint: baseUrl + TOKEN_PATH,
		revocation_endpoint: baseUrl + REVOKE_PATH,
		registration_endpoint: baseUrl + REGISTER_PATH,
		device_authorization_endpoint: baseUrl + DEVICE_AUTHORIZATION_PATH,
		scopes_supported: [...SCOPES],
		response_types_supported: ["code"],
		response_modes_supported: ["query"],
		grant_types_supported: ["authorization_code", "refresh_token", DEVICE_GRANT_TYPE],
		token_endpoint_auth_methods_supported: CLIENT_METHODS,
		revocation_endpoint_auth_methods_supported: CLIENT_METHODS,
		code_challenge_methods_supported: ["S256"],
		authorization_response_iss_parameter_supported: true,
		client_id_metadata_document_supported: true,
		protected_resources: [baseUrl],
		service_documentation: `${baseUrl}/docs/guides/connect-a-program`,
	};
}
