// The SDK speaks the protocol's revisions. This file passes messages to it.
import {
	createMcpHandler,
	isLegacyRequest,
	legacyStatelessFallback,
	METHOD_NOT_FOUND,
	WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { PublicCtx } from "../../../ports/deps.ts";
import { EndpointClient, type ToolRefusal } from "./endpoint-client.ts";
import { createServer } from "./protocol-server.ts";
import { findCalledTool, type RpcMessage, readAccept } from "./rules.ts";
import type { Identify } from "./sign-in.ts";

/** Makes an error of the protocol. */
export function rpcError({
	status,
	code,
	message,
	id = null,
}: {
	status: 400 | 404 | 406;
	code: number;
	message: string;
	id?: string | number | null;
}): Response {
	return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status });
}

const NOT_ACCEPTABLE = -32_000;

/** Returns the response to a message, by the revision of the protocol that it uses. */
export async function dispatch(
	ctx: PublicCtx,
	request: Request,
	{
		json,
		message,
		limited,
		identify,
	}: {
		json: unknown;
		message: RpcMessage;
		limited: ToolRefusal | null;
		identify: Identify | null;
	},
): Promise<Response> {
	const { id, method } = message;
	const accepted = readAccept(request.headers.get("Accept"));
	if (!accepted.json) {
		return rpcError({ status: 406, code: NOT_ACCEPTABLE, message: "Send Accept: application/json, text/event-stream.", id: id ?? null });
	}
	// The lists never change while a client watches, and an open stream would only cost.
	if (method === "subscriptions/listen") {
		return rpcError({
			status: 404,
			code: METHOD_NOT_FOUND,
			message: "This server has no subscriptions, because its lists do not change.",
			id: id ?? null,
		});
	}
	const waits = accepted.events && findCalledTool(message) === "wait_for_score";
	const api = new EndpointClient(ctx, request, identify);
	const factory = () => createServer({ ctx, api, limited, canStream: accepted.events });
	const forwarded = withoutBody(request);
	const options = { parsedBody: json };
	if (!(await isLegacyRequest(forwarded, json))) {
		return createMcpHandler(factory, { legacy: "reject", responseMode: waits ? "sse" : "auto" }).fetch(forwarded, options);
	}
	if (waits) return legacyStatelessFallback(factory)(forwarded, options);
	// The SDK's own handler for this revision always streams; clients without a wait get plain JSON.
	const server = factory();
	const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
	await server.connect(transport);
	try {
		return await transport.handleRequest(forwarded, options);
	} finally {
		await server.close();
	}
}

/** Makes the request as the SDK wants it: it insists on both types, also where an asterisk says the same. */
function withoutBody(request: Request): Request {
	const headers = new Headers(request.headers);
	headers.set("Accept", "application/json, text/event-stream");
	return new Request(request.url, { method: "POST", headers, signal: request.signal });
}
