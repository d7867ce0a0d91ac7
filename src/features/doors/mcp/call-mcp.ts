import { INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server";
import * as z from "zod";
import { AppError, wireCodeOf } from "../../../domain/errors.ts";
import { authenticate } from "../../../http/authenticate.ts";
import { DEFAULT_BODY_LIMIT_BYTES, isJson, LARGEST_BODY_LIMIT_BYTES } from "../../../http/body.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { assertWithinRateLimit } from "../../../http/rate-limit.ts";
import { announcedLengthOf, bodyTooLarge, readBytes } from "../../../http/raw-body.ts";
import type { PublicCtx, RateClass } from "../../../ports/deps.ts";
import { dispatch, rpcError } from "./dispatch.ts";
import { ToolRefusal } from "./endpoint-client.ts";
import { findOperation } from "./operations.ts";
import { findCalledTool, findId, findOperationId, MCP_PATH, parseMessage, type RpcMessage } from "./rules.ts";
import { ENDPOINT_OF_TOOL } from "./tool-calls.ts";
import { isToolName } from "./tools.ts";

const exampleReply = {
	jsonrpc: "2.0",
	id: 1,
	result: { content: [{ type: "text", text: "{}" }], structuredContent: { tasks: [], next_cursor: null } },
};

export const callMcp = endpoint({
	method: "post",
	path: MCP_PATH,
	operationId: "callMcp",
	summary: "Talk to the platform as an MCP server",
	description: `The Model Context Protocol over Streamable HTTP, without sessions: revision 2025-11-25 with \`initialize\`, and 2026-07-28 with \`server/discover\`. A body is one JSON-RPC message. Listing needs no key; a wrong key is 401. A tool call counts against the rate class of the endpoint that the tool stands for. GET and DELETE are 405, because there is no session to read or end.

Use an MCP client instead of calling this by hand. What is wrong with a message is a JSON-RPC error. What a tool refuses is a result with \`isError\`, whose text says what to do next.`,
	tags: ["MCP"],
	auth: "none",
	rate: "none",
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
	page: "guides/mcp",
	examples: {
		rawBodies: {
			call: {
				summary: "Call a tool",
				value: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "find_tasks", arguments: { query: "parser" } } },
			},
		},
		texts: { "application/json": exampleReply, "text/event-stream": `event: message\ndata: ${JSON.stringify(exampleReply)}\n\n` },
	},

	// A fault of the message is an error of the protocol. A refusal by a tool is the tool's result.
	handle: (ctx, { request }) => handleMessage(ctx, request),
});

async function handleMessage(ctx: PublicCtx, request: Request): Promise<Response> {
	if (!isJson(request.headers.get("Content-Type"))) {
		throw new AppError("UNSUPPORTED_FILE_TYPE", { message: "Send one JSON-RPC message, with the header Content-Type: application/json." });
	}
	const hasKey = request.headers.has("Authorization");
	const isLarge = (announcedLengthOf(request) ?? 0) > DEFAULT_BODY_LIMIT_BYTES;
	if (isLarge) await admitLargeMessage(ctx, request);
	const { json, message } = await readRpcMessage(ctx, request, isLarge);
	if (message === null) return refuseMessage(json);
	const limited = isLarge ? null : await countMessage(ctx, request, message);
	if (hasKey && !isLarge && limited === null) await authenticate(ctx, request, ctx.baseUrl);
	return dispatch(ctx, request, { json, message, limited });
}

/** Counts a large message and checks its credential before it is read, because the name of its tool is only known afterwards. */
async function admitLargeMessage(ctx: PublicCtx, request: Request): Promise<void> {
	if (!request.headers.has("Authorization")) throw bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES, "Without a key, the body");
	await assertWithinRateLimit(ctx, "submission", request);
	await authenticate(ctx, request, ctx.baseUrl);
}

/** Reads a message. Only the tools that take files accept a large one. `message` is null when the body is not a message. */
async function readRpcMessage(ctx: PublicCtx, request: Request, isLarge: boolean): Promise<{ json: unknown; message: RpcMessage | null }> {
	const maxBytes = isLarge ? LARGEST_BODY_LIMIT_BYTES : DEFAULT_BODY_LIMIT_BYTES;
	const bytes = await readBytes(request, maxBytes, { faultCode: "INVALID_BODY", clock: ctx.clock }).catch((error: unknown) => {
		const isUnannounced = !isLarge && error instanceof AppError && error.code === "FILE_TOO_LARGE";
		throw isUnannounced ? bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES, "Without a key and a Content-Length, the body") : error;
	});
	const json = parseBody(bytes);
	const message = parseMessage(json);
	const tool = message === null ? null : findCalledTool(message);
	if (isLarge && tool !== "submit_files" && tool !== "check_files") throw bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES);
	return { json, message };
}

/** Returns undefined for bytes that are not JSON in UTF-8. */
function parseBody(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
	} catch {
		return undefined;
	}
}

function refuseMessage(json: unknown): Response {
	if (json === undefined) return rpcError({ status: 400, code: PARSE_ERROR, message: "The body is not valid JSON in UTF-8." });
	const message = Array.isArray(json)
		? "Send one message for each request: the protocol has no batches."
		: 'The body is not a JSON-RPC 2.0 message: {"jsonrpc": "2.0", "id": 1, "method": "...", "params": {...}}, with an id that is text or a whole number.';
	return rpcError({ status: 400, code: INVALID_REQUEST, message, id: findId(json) });
}

/**
 * Counts a message once. A tool that is over its limit says so in its result; the refusal is returned for that.
 *
 * @throws AppError `RATE_LIMITED` for other messages.
 */
async function countMessage(ctx: PublicCtx, request: Request, message: RpcMessage): Promise<ToolRefusal | null> {
	const rate = await rateOf(ctx, message, request.headers.has("Authorization"));
	if (rate === "none") return null;
	try {
		await assertWithinRateLimit(ctx, rate, request);
		return null;
	} catch (error) {
		if (message.method !== "tools/call" || !(error instanceof AppError)) throw error;
		const { retryAfterSeconds = null } = error.facts;
		return new ToolRefusal({ code: wireCodeOf(error.code), message: error.message, retryAfterSeconds });
	}
}

/** Returns the class that a message counts for. Without a key, a message that reads nothing is free, as static pages are. A key must be looked up. */
async function rateOf(ctx: PublicCtx, message: RpcMessage, hasKey: boolean): Promise<RateClass | "none"> {
	const tool = findCalledTool(message);
	if (tool === "call_operation") return (await findOperation(ctx, findOperationId(message) ?? ""))?.rate ?? "general";
	if (tool !== null && isToolName(tool)) return ENDPOINT_OF_TOOL[tool].rate;
	const reads = message.method === "tools/call" || message.method?.startsWith("resources/");
	return hasKey || reads ? "general" : "none";
}
