import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { EXAMPLE_ORIGIN } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { MCP_PATH, RESOURCE_METADATA_PATH } from "./rules.ts";

export const getMcpResourceMetadata = endpoint({
	method: "get",
	path: RESOURCE_METADATA_PATH,
	operationId: "getMcpResourceMetadata",
	shared: { seconds: 300, of: "deployment" },
	summary: "Find out how MCP clients sign in",
	description: "OAuth protected resource metadata (RFC 9728) of the MCP server. 404 where the deployment accepts only API keys.",
	tags: ["MCP"],
	auth: "none",
	rate: "none",
	response: {
		status: 200,
		description: "The metadata.",
		schema: z
			.object({
				resource: z.url().describe("The MCP server. Access tokens must have it as their audience."),
				resource_name: z.string().describe("The server's name for people."),
				authorization_servers: z.array(z.url()).describe("The issuers whose access tokens the server accepts."),
				scopes_supported: z
					.array(z.string())
					.optional()
					.describe("The scope that an access token must have. Absent when none is asked for."),
				bearer_methods_supported: z.array(z.literal("header")).describe("Where to send an access token."),
				resource_documentation: z.url().describe("The documentation for people."),
			})
			.meta({ id: "McpResourceMetadata", description: "How MCP clients sign in." }),
	},
	errors: ["NOT_FOUND"],
	page: "guides/mcp",
	examples: {
		responses: {
			metadata: {
				value: {
					resource: `${EXAMPLE_ORIGIN}${MCP_PATH}`,
					resource_name: "Bounty Platform",
					authorization_servers: ["https://login.example.com"],
					bearer_methods_supported: ["header"],
					resource_documentation: `${EXAMPLE_ORIGIN}/docs/guides/mcp`,
				},
			},
		},
	},

	async handle({ config, baseUrl }) {
		if (config.mcpTokens === null) {
			throw new AppError("NOT_FOUND", { message: "The MCP server of this deployment accepts API keys only, and no OAuth access tokens." });
		}
		return {
			resource: `${baseUrl}${MCP_PATH}`,
			resource_name: "Bounty Platform",
			authorization_servers: [config.mcpTokens.issuer],
			...(config.mcpTokens.scope === null ? {} : { scopes_supported: [config.mcpTokens.scope] }),
			bearer_methods_supported: ["header" as const],
			resource_documentation: `${baseUrl}/docs/guides/mcp`,
		};
	},
});
