// This file responds to the methods of the MCP server. The SDK speaks the protocol's revisions.
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "@modelcontextprotocol/server";
import { ERRORS } from "../../../domain/errors.ts";
import { HOUR_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { COMPETE, showCompete } from "./compete.ts";
import type { EndpointClient, ToolRefusal } from "./endpoint-client.ts";
import { FILE_TEMPLATE, listResources, readResource } from "./resources.ts";
import { INSTRUCTIONS, LEGACY_REVISIONS, MODERN_REVISION, SERVER_INFO } from "./rules.ts";
import { callTool } from "./tool-calls.ts";
import { listTools } from "./tool-list.ts";
import { type Progress, toToolError } from "./tool-results.ts";
import { isToolName } from "./tools.ts";

const SAME_FOR_ALL = { ttlMs: HOUR_MS, cacheScope: "public" } as const;

/** Makes a server for one request. Nothing of it outlives the response. */
export function createServer({
	ctx,
	api,
	limited,
	canStream,
}: {
	ctx: PublicCtx;
	api: EndpointClient;
	/** The text says why no tool can be called now. It is null if tools can be called. */
	limited: ToolRefusal | null;
	/** It is true if the client reads event streams, in which progress arrives. */
	canStream: boolean;
}): Server {
	const server = new Server(SERVER_INFO, {
		capabilities: { tools: {}, resources: {}, prompts: {} },
		instructions: INSTRUCTIONS,
		supportedProtocolVersions: [...LEGACY_REVISIONS, MODERN_REVISION],
		cacheHints: {
			"tools/list": SAME_FOR_ALL,
			"prompts/list": SAME_FOR_ALL,
			"resources/list": SAME_FOR_ALL,
			"resources/templates/list": SAME_FOR_ALL,
			"server/discover": SAME_FOR_ALL,
		},
	});
	server.setRequestHandler("tools/list", () => ({ tools: listTools() }));
	server.setRequestHandler("tools/call", ({ params: { name, arguments: given = {} } }, context) => {
		if (!isToolName(name))
			throw new ProtocolError(
				ProtocolErrorCode.InvalidParams,
				`Unknown tool: ${name.slice(0, 100)}. find_operations finds what no tool does.`,
			);
		if (limited !== null) return toToolError(limited);
		const call = { ctx, api, signal: context.mcpReq.signal, report: canStream ? reporterOf(context) : null };
		return callTool(call, name, given);
	});
	server.setRequestHandler("resources/list", () => guarded(ctx, () => listResources(api)));
	server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [FILE_TEMPLATE] }));
	server.setRequestHandler("resources/read", ({ params: { uri } }) => guarded(ctx, () => readResource(api, uri)));
	server.setRequestHandler("prompts/list", () => ({ prompts: [COMPETE] }));
	server.setRequestHandler("prompts/get", ({ params: { name, arguments: given = {} } }) => {
		if (name !== COMPETE.name)
			throw new ProtocolError(
				ProtocolErrorCode.InvalidParams,
				`Unknown prompt: ${name.slice(0, 100)}. The only prompt is ${COMPETE.name}.`,
			);
		return showCompete(given);
	});
	return server;
}

/** Logs unexpected errors and hides their text, which the SDK would send to the client. */
async function guarded<Result>({ log, requestId }: PublicCtx, read: () => Promise<Result>): Promise<Result> {
	try {
		return await read();
	} catch (error) {
		if (error instanceof ProtocolError) throw error;
		log.error("resource_failed", { request_id: requestId, ...describeError(error) });
		throw new ProtocolError(ProtocolErrorCode.InternalError, ERRORS.INTERNAL_ERROR.message);
	}
}

/** Returns null for a client that has not asked for progress. */
function reporterOf({ mcpReq }: ServerContext): ((progress: Progress) => void) | null {
	const progressToken = mcpReq._meta?.progressToken;
	if (progressToken === undefined) return null;
	return (progress) => {
		// A client that has gone gets none, and the end of its connection stops the call.
		mcpReq.notify({ method: "notifications/progress", params: { ...progress, progressToken } }).catch(() => undefined);
	};
}
