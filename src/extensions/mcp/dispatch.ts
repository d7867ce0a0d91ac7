// Passes messages to the SDK, which implements the revisions of the protocol.
import {
	createMcpHandler,
	isLegacyRequest,
	legacyStatelessFallback,
	METHOD_NOT_FOUND,
	ProtocolError,
	ProtocolErrorCode,
	Server,
	type ServerContext,
	WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { AppError, ERRORS } from "../../domain/errors.ts";
import { HOUR_MS } from "../../platform/clock.ts";
import { describeError } from "../../platform/log.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { COMPETE, showCompete } from "./compete.ts";
import { EndpointClient } from "./endpoint-client.ts";
import type { RpcMessage } from "./messages.ts";
import { FILE_TEMPLATE, listResources, readResource } from "./resources.ts";
import { toToolError } from "./results.ts";
import { REFUSED, refusalOf, refuseMessage, rpcError } from "./rpc-errors.ts";
import { INSTRUCTIONS, LEGACY_REVISIONS, MODERN_REVISION, readAccept, SERVER_INFO } from "./rules.ts";
import { callTool } from "./run-tool.ts";
import type { NamedCall, Progress } from "./tool-call.ts";
import { listTools } from "./tool-list.ts";

/** Returns the response to a message, according to the revision of the protocol that the message uses. */
export async function dispatch(
	ctx: PublicCtx,
	request: Request,
	{ message, call, refusal }: { message: RpcMessage; call: NamedCall | null; refusal: AppError | null },
): Promise<Response> {
	const { id, method } = message;
	const accepted = readAccept(request.headers.get("Accept"));
	if (!accepted.json) {
		return rpcError({ status: 406, code: REFUSED, message: "Send Accept: application/json, text/event-stream.", id: id ?? null });
	}
	// Clients subscribe to changes of the lists, but the lists never change while a client is connected.
	if (method === "subscriptions/listen") {
		return rpcError({
			status: 404,
			code: METHOD_NOT_FOUND,
			message: "This server has no subscriptions, because its lists do not change.",
			id: id ?? null,
		});
	}
	const waits = accepted.events && call?.name === "wait_for_score";
	const api = new EndpointClient(ctx, request);
	const response = await forward(ctx, request, { message, call, refusal, api, waits, streams: accepted.events });
	if (api.missingScope === null) return response;
	// This status makes clients ask their user for a larger scope. A tool's error would not.
	const headers = { "WWW-Authenticate": api.missingScope };
	return refuseMessage(new AppError("FORBIDDEN", { message: "The agent has only allowed this program to read.", headers }), message);
}

async function forward(
	ctx: PublicCtx,
	request: Request,
	{
		message,
		call,
		refusal,
		api,
		waits,
		streams,
	}: {
		message: RpcMessage;
		call: NamedCall | null;
		refusal: AppError | null;
		api: EndpointClient;
		/** True if the call waits, and reports its progress in an event stream. */
		waits: boolean;
		/** True if the client accepts event streams. */
		streams: boolean;
	},
): Promise<Response> {
	const factory = () => createServer({ ctx, api, call, refusal, canStream: streams });
	const forwarded = withoutBody(request);
	const json = call === null ? message : { ...message, params: { ...message.params, arguments: call.args } };
	const options = { parsedBody: json };
	if (!(await isLegacyRequest(forwarded, json))) {
		return createMcpHandler(factory, { legacy: "reject", responseMode: waits ? "sse" : "auto" }).fetch(forwarded, options);
	}
	if (waits) return legacyStatelessFallback(factory)(forwarded, options);
	// The SDK's own handler for this revision always streams. Here, a call that does not wait gets plain JSON.
	const server = factory();
	const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
	await server.connect(transport);
	try {
		return await transport.handleRequest(forwarded, options);
	} finally {
		await server.close();
	}
}

/**
 * Builds the request for the SDK, without the body, which is already parsed. The SDK insists that `Accept` names JSON and event streams,
 * even if a wildcard covers both.
 */
function withoutBody(request: Request): Request {
	const headers = new Headers(request.headers);
	headers.set("Accept", "application/json, text/event-stream");
	return new Request(request.url, { method: "POST", headers, signal: request.signal });
}

// Responds to the methods of the MCP server.

const SAME_FOR_ALL = { ttlMs: HOUR_MS, cacheScope: "public" } as const;

/** Creates a server for one request. */
function createServer({
	ctx,
	api,
	call,
	refusal,
	canStream,
}: {
	ctx: PublicCtx;
	api: EndpointClient;
	/** The tool call in the message, if there is one. */
	call: NamedCall | null;
	/** Why the call is refused. Null if the tool can be called. */
	refusal: AppError | null;
	/** True if the client accepts event streams, which carry progress. */
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
	server.setRequestHandler("tools/list", async () => ({ tools: await listTools(ctx) }));
	server.setRequestHandler("tools/call", ({ params: { name } }, context) => {
		if (refusal !== null) return toToolError(refusalOf(refusal));
		if (call === null) {
			const message = `Unknown tool: ${name.slice(0, 100)}. find_operations finds operations that no tool covers.`;
			throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
		}
		const report = canStream ? reporterOf(context) : null;
		return callTool({ ctx, api, signal: context.mcpReq.signal, report }, call.name, call.args);
	});
	server.setRequestHandler("resources/list", () => guarded(ctx, () => listResources(api)));
	server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [FILE_TEMPLATE] }));
	server.setRequestHandler("resources/read", ({ params: { uri } }) => guarded(ctx, () => readResource(ctx, api, uri)));
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

/** Returns a function that reports progress to the client. Returns null for a client that has not asked for progress. */
function reporterOf({ mcpReq }: ServerContext): ((progress: Progress) => void) | null {
	const progressToken = mcpReq._meta?.progressToken;
	if (progressToken === undefined) return null;
	return (progress) => {
		// A client that has disconnected gets no progress. The end of its connection stops the call.
		mcpReq.notify({ method: "notifications/progress", params: { ...progress, progressToken } }).catch(() => undefined);
	};
}
