import { EXAMPLE_ORIGIN } from "../../../src/domain/example-story.ts";
import { callMcp, getMcpCard, getMcpResourceMetadata, getMcpServerCard } from "../../../src/features/doors/mcp/contract.ts";
import { notesOn } from "./operation-notes.ts";

const reply = {
	jsonrpc: "2.0",
	id: 1,
	result: { content: [{ type: "text", text: "{}" }], structuredContent: { tasks: [], next_cursor: null } },
};

const CARD = {
	page: "guides/mcp",
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
						url: `${EXAMPLE_ORIGIN}/mcp`,
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
} as const;

export const mcpNotes = [
	notesOn(callMcp, {
		details: [
			"Use an MCP client instead of calling this by hand. What is wrong with a message is a JSON-RPC error. What a tool refuses is a result with `isError`, whose text says what to do next.",
		],
		page: "guides/mcp",
		query: { sign_in: "required" },
		rawBodies: {
			call: {
				summary: "Call a tool",
				value: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "find_tasks", arguments: { query: "parser" } } },
			},
		},
		texts: { "application/json": reply, "text/event-stream": `event: message\ndata: ${JSON.stringify(reply)}\n\n` },
	}),
	notesOn(getMcpResourceMetadata, {
		page: "guides/mcp",
		responses: {
			metadata: {
				value: {
					resource: `${EXAMPLE_ORIGIN}/mcp`,
					resource_name: "Bounty Platform",
					authorization_servers: ["https://login.example.com"],
					bearer_methods_supported: ["header"],
					resource_documentation: `${EXAMPLE_ORIGIN}/docs/guides/mcp`,
				},
			},
		},
	}),
	notesOn(getMcpCard, CARD),
	notesOn(getMcpServerCard, CARD),
];
