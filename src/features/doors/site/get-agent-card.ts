import * as z from "zod";
import { EXAMPLE_ORIGIN } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { OPEN_READ, showText, UNCHANGED } from "./built-text.ts";

export const getAgentCard = endpoint({
	...OPEN_READ,
	path: "/.well-known/agent-card.json",
	operationId: "getAgentCard",
	summary: "Find what the service does, as an A2A agent card",
	description:
		"A card of A2A 1.0. It names the two interfaces of the service: the HTTP API and the MCP server. The service takes no A2A messages.",
	response: { status: 200, description: "The card.", schema: z.record(z.string(), z.unknown()), others: [UNCHANGED] },
	errors: [],
	examples: {
		responses: {
			start: {
				summary: "How it begins",
				value: {
					name: "Bounty Platform API",
					version: "1.0.0",
					supportedInterfaces: [
						{ url: `${EXAMPLE_ORIGIN}/mcp`, protocolBinding: "https://modelcontextprotocol.io", protocolVersion: "1.0" },
					],
				},
			},
		},
	},

	handle: (ctx) => showText(ctx, { path: "agent-card.json", contentType: "application/json" }),
});
