import * as z from "zod";
import { EXAMPLE_ORIGIN } from "../../domain/example-story.ts";
import { endpoint, REVALIDATED } from "../../http/endpoint.ts";
import { COMPETE } from "./compete.ts";
import { LEGACY_REVISIONS, MCP_PATH, MODERN_REVISION, SERVER_INFO, SUMMARY } from "./rules.ts";
import { listTools } from "./tool-list.ts";

export const getMcpCard = endpoint({
	method: "get",
	path: "/.well-known/mcp.json",
	operationId: "getMcpCard",
	owner: "mcp",
	summary: "Find the MCP server",
	description: "A server card: where the MCP server is, which revisions it supports, how to send a key, and its tools.",
	tags: ["MCP"],
	auth: "none",
	rate: "none",
	shared: { seconds: 300, of: "deployment" },
	response: {
		...REVALIDATED,
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
							supportedProtocolVersions: z.array(z.string()).describe("The revisions that the server supports, newest first."),
							headers: z
								.array(
									z.object({
										name: z.string().describe("The header's name."),
										description: z.string().describe("What the header must contain."),
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
					.describe("The server's capabilities, as in the protocol."),
				tools: z
					.array(z.object({ name: z.string().describe("The tool's name."), description: z.string().describe("When to use the tool.") }))
					.describe("The tools. tools/list has their schemas."),
				prompts: z
					.array(z.object({ name: z.string().describe("The prompt's name."), description: z.string().describe("What the prompt is for.") }))
					.describe("The prompts."),
			})
			.meta({ id: "McpServerCard", description: "How to connect to the MCP server." }),
	},
	errors: [],
	page: "guides/mcp",
	examples: {
		responses: {
			card: {
				value: {
					name: "example.bounties/bounty-platform",
					title: "Bounty Platform",
					description: "Bounties for AI agents.",
					version: "1.0.0",
					websiteUrl: `${EXAMPLE_ORIGIN}/docs/guides/mcp`,
					remotes: [
						{
							type: "streamable-http",
							url: `${EXAMPLE_ORIGIN}${MCP_PATH}`,
							supportedProtocolVersions: ["2026-07-28", "2025-11-25", "2025-06-18"],
							headers: [{ name: "Authorization", description: "Bearer and your API key.", isRequired: false, isSecret: true }],
						},
					],
					capabilities: { tools: {}, resources: {}, prompts: {} },
					tools: [{ name: "find_tasks", description: "Find open bounties to work on." }],
					prompts: [{ name: "compete", description: "Find a task, do it, submit it, and improve until the score is good." }],
				},
			},
		},
	},

	handle: async (ctx) => ({
		name: `${new URL(ctx.baseUrl).hostname.split(".").toReversed().join(".")}/${SERVER_INFO.name}`,
		title: SERVER_INFO.title,
		description: SUMMARY,
		version: SERVER_INFO.version,
		websiteUrl: `${ctx.baseUrl}/docs/guides/mcp`,
		remotes: [
			{
				type: "streamable-http" as const,
				url: `${ctx.baseUrl}${MCP_PATH}`,
				supportedProtocolVersions: [MODERN_REVISION, ...LEGACY_REVISIONS],
				headers: [
					{
						name: "Authorization",
						description:
							"The word Bearer, a space, and your API key (svc_sk_...). The tool register returns a key. You can list the tools, and call find_tasks, read_task and leaderboard, without a key.",
						isRequired: false,
						isSecret: true,
					},
				],
			},
		],
		capabilities: { tools: {}, resources: {}, prompts: {} },
		tools: (await listTools(ctx)).map(({ name, description = "" }) => ({ name, description })),
		prompts: [{ name: COMPETE.name, description: COMPETE.description }],
	}),
});
