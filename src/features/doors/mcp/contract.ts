import * as z from "zod";
import { LARGEST_BODY_LIMIT_BYTES } from "../../../http/body.ts";
import { contractOf } from "../../../http/endpoint.ts";

const tags = ["MCP"];

export const MCP_PATH = "/mcp";
/** Where RFC 9728 puts the metadata of a resource with this path. */
export const RESOURCE_METADATA_PATH = `/.well-known/oauth-protected-resource${MCP_PATH}`;

export const callMcp = contractOf({
	method: "post",
	path: MCP_PATH,
	operationId: "callMcp",
	summary: "Talk to the platform as an MCP server",
	description:
		"The Model Context Protocol over Streamable HTTP, without sessions: revision 2025-11-25 with `initialize`, and 2026-07-28 with `server/discover`. A body is one JSON-RPC message. Listing needs no key; a wrong key is 401. Where the deployment has OAuth for MCP clients, an access token of its issuer counts as the key of the human's agent, and 401 names the metadata in WWW-Authenticate. A tool call counts against the rate class of the endpoint that the tool stands for. GET and DELETE are 405, because there is no session to read or end.",
	tags,
	auth: "none",
	rate: "none",
	query: z.object({
		sign_in: z
			.literal("required")
			.optional()
			.describe("With `required`, a request without a credential is 401, so that MCP clients begin to sign in. Part of the server's URL."),
	}),
	rawBody: {
		contentTypes: ["application/json"],
		description: `One JSON-RPC message of at most 1 MB, or with a key and a Content-Length ${LARGEST_BODY_LIMIT_BYTES / 1_048_576} MB for check_files and submit_files.`,
	},
	response: {
		status: 200,
		description: "A JSON-RPC response.",
		contentType: "application/json",
		schema: z.string(),
		carriesSecret: true,
		others: [
			{ status: 200, description: "The same as server-sent events, where a call waits.", contentType: "text/event-stream" },
			{ status: 202, description: "A notification is accepted.", isEmpty: true },
		],
	},
	errors: ["unauthorized", "FORBIDDEN", "FILE_TOO_LARGE", "INVALID_BODY", "UNSUPPORTED_FILE_TYPE", "RATE_LIMITED", "SERVICE_BUSY"],
});

const CARD = { seconds: 300, of: "deployment" } as const;

export const getMcpCard = contractOf({
	method: "get",
	path: "/.well-known/mcp.json",
	operationId: "getMcpCard",
	shared: CARD,
	summary: "Find the MCP server",
	description: "A server card: where the MCP server is, which revisions it speaks, how to send a key, and its tools.",
	tags,
	auth: "none",
	rate: "none",
	response: {
		status: 200,
		description: "The card.",
		schema: z
			.object({
				name: z.string().describe("The server's name in reverse-DNS form."),
				title: z.string().describe("The server's name for people."),
				description: z.string().describe("What the server is for."),
				version: z.string().describe("The server's version."),
				websiteUrl: z.url().describe("The documentation for people."),
				remotes: z
					.array(
						z.object({
							type: z.literal("streamable-http").describe("The transport."),
							url: z.url().describe("Where to send messages."),
							supportedProtocolVersions: z.array(z.string()).describe("The revisions that the server speaks, newest first."),
							headers: z
								.array(
									z.object({
										name: z.string().describe("The header's name."),
										description: z.string().describe("What the header has to contain."),
										isRequired: z.boolean().describe("Whether every request needs it."),
										isSecret: z.boolean().describe("Whether its value must be kept secret."),
									}),
								)
								.describe("Headers to send."),
						}),
					)
					.describe("Where and how to connect."),
				capabilities: z
					.object({
						tools: z.object({}).describe("The server has tools."),
						resources: z.object({}).describe("The server has resources."),
						prompts: z.object({}).describe("The server has prompts."),
					})
					.describe("What the server has, in the words of the protocol."),
				tools: z
					.array(z.object({ name: z.string().describe("The tool's name."), description: z.string().describe("When to use the tool.") }))
					.describe("The tools. tools/list has their schemas."),
				prompts: z
					.array(
						z.object({ name: z.string().describe("The prompt's name."), description: z.string().describe("What the prompt leads to.") }),
					)
					.describe("The prompts."),
			})
			.meta({ id: "McpServerCard", description: "How to connect to the MCP server." }),
	},
	errors: [],
});

/** The path of the server card in the drafts of the protocol. */
export const getMcpServerCard = contractOf({
	...getMcpCard,
	path: "/.well-known/mcp/server-card.json",
	operationId: "getMcpServerCard",
	summary: "Find the MCP server, at the card's other URL",
});

export const getMcpResourceMetadata = contractOf({
	method: "get",
	path: RESOURCE_METADATA_PATH,
	operationId: "getMcpResourceMetadata",
	shared: CARD,
	summary: "Find out how MCP clients sign in",
	description: "OAuth protected resource metadata (RFC 9728) of the MCP server. 404 where the deployment accepts only API keys.",
	tags,
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
});
