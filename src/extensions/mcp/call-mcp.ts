import { INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Actor } from "../../domain/actor.ts";
import { AppError, type FieldFault, invalidInput } from "../../domain/errors.ts";
import { findInexactNumber } from "../../domain/exact-numbers.ts";
import { authenticate, credentialRefused } from "../../http/authenticate.ts";
import { carriesAccessToken } from "../../http/bearer.ts";
import { DEFAULT_BODY_LIMIT_BYTES, isJson, LARGEST_BODY_LIMIT_BYTES } from "../../http/body.ts";
import { type EndpointContract, endpoint } from "../../http/endpoint.ts";
import { assertWithinAgentLimit, assertWithinOpeningLimit, assertWithinRateLimit } from "../../http/rate-limit.ts";
import { announcedLengthOf, bodyTooLarge, readBytes } from "../../http/raw-body.ts";
import type { PublicCtx, RateClass } from "../../ports/deps.ts";
import { dispatch } from "./dispatch.ts";
import { findCalledTool, findId, parseMessage, type RpcMessage } from "./messages.ts";
import { bodyOfRefusal, refuseMessage, rpcError, rpcErrorBody, toRefusal } from "./rpc-errors.ts";
import { MCP_PATH } from "./rules.ts";
import { findOperationOf, makeArgumentsRegular } from "./run-tool.ts";
import type { NamedCall } from "./tool-call.ts";
import { isToolName, toolOf } from "./tools.ts";

const result = { tasks: [], next_cursor: null };
const exampleReply = {
	jsonrpc: "2.0",
	id: 1,
	result: { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result },
};

/** The statuses of the protocol's own errors. Those of the platform's errors follow from their codes. */
const OTHER_STATUSES = {
	404: "The method does not exist, or this server does not support it.",
	406: "The client does not accept JSON.",
} as const;

/** The part of an endpoint's declaration that all MCP servers of the platform share. */
export const MESSAGES = {
	tags: ["MCP"],
	auth: "none",
	rate: "none",
	// The endpoints that tools call check the operators' switches themselves, so that reading works even if writing is off.
	isRelay: true,
	rawBody: {
		contentTypes: ["application/json"],
		description: `One JSON-RPC message of at most 1 MB. With a key and a Content-Length, a call of check_files or submit_files can have up to ${LARGEST_BODY_LIMIT_BYTES / 1_048_576} MB.`,
	},
	response: {
		status: 200,
		description: "A JSON-RPC response.",
		contentType: "application/json",
		schema: z.string(),
		carriesSecret: true,
		others: [
			{ status: 200, description: "The same as server-sent events, if a call waits.", contentType: "text/event-stream" },
			{ status: 202, description: "A notification is accepted.", isEmpty: true },
		],
	},
	errorBody: { schema: rpcErrorBody, bodyOf: (refusal: AppError) => bodyOfRefusal(refusal), others: OTHER_STATUSES },
	errors: ["unauthorized", "FORBIDDEN", "FILE_TOO_LARGE", "INVALID_BODY", "UNSUPPORTED_FILE_TYPE"],
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
} as const satisfies Partial<EndpointContract>;

export const callMcp = endpoint({
	method: "post",
	path: MCP_PATH,
	operationId: "callMcp",
	owner: "mcp",
	summary: "Talk to the platform as an MCP server",
	description: `The Model Context Protocol over Streamable HTTP, without sessions: revisions 2025-06-18 and 2025-11-25 with \`initialize\`, and 2026-07-28 with \`server/discover\`. A body is one JSON-RPC message. Listing tools, prompts and resources needs no key. A wrong key returns 401, and so does calling a tool that needs a key without one. A tool call counts against the rate class of the endpoint that the tool calls. GET and DELETE return 405, because there is no session to read or end.

Use an MCP client instead of calling this by hand. An invalid message returns a JSON-RPC error. If a tool fails, the result has \`isError\`, and its text says what to do next.`,
	...MESSAGES,

	// An invalid message causes an error of the protocol. If a tool rejects a call, the rejection is the tool's result.
	handle: (ctx, { request }) => respondToMessage(ctx, request),
});

/** Responds to the message of a request. Faults become JSON-RPC errors. */
export async function respondToMessage(ctx: PublicCtx, request: Request): Promise<Response> {
	const read: { message: RpcMessage | null } = { message: null };
	try {
		return await handleMessage(ctx, request, read);
	} catch (error) {
		return refuseMessage(toRefusal(ctx, error), read.message);
	}
}

/** Handles a message. Stores it in `read` first, because an error response repeats its id. */
async function handleMessage(ctx: PublicCtx, request: Request, read: { message: RpcMessage | null }): Promise<Response> {
	const hasKey = request.headers.has("Authorization");
	const isLarge = (announcedLengthOf(request) ?? 0) > DEFAULT_BODY_LIMIT_BYTES;
	if (isLarge && !hasKey) throw bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES, "Without a key, the body");
	if (isLarge) await authenticate(ctx, request, ctx.baseUrl);
	const { json, fault } = parseBody(await readBody(ctx, request, isLarge));
	const message = parseMessage(json);
	if (message === null) return explainFault(json);
	read.message = message;
	const call = await findCall(ctx, message);
	// A program's requests count against its agent's limit, so authenticate it before counting.
	const program = carriesAccessToken(request) ? await authenticate(ctx, request, ctx.baseUrl) : null;
	const excess = await findExcess(ctx, request, { message, call, program });
	const refusal = excess ?? findCallFault(call, { isLarge, fault });
	if (refusal !== null && message.method !== "tools/call") return refuseOther(refusal, message);
	if (refusal === null && !hasKey) await assertOpen(ctx, call);
	else if (refusal === null && !isLarge) await authenticate(ctx, request, ctx.baseUrl);
	return dispatch(ctx, request, { message, call, refusal });
}

/** Reads a body. Only a caller whose key was checked may send a large one, and only to a tool that takes files, which is checked later. */
async function readBody(ctx: PublicCtx, request: Request, isLarge: boolean): Promise<Uint8Array> {
	if (!isJson(request.headers.get("Content-Type"))) {
		throw new AppError("UNSUPPORTED_FILE_TYPE", { message: "Send one JSON-RPC message, with the header Content-Type: application/json." });
	}
	const maxBytes = isLarge ? LARGEST_BODY_LIMIT_BYTES : DEFAULT_BODY_LIMIT_BYTES;
	return readBytes(request, maxBytes, { faultCode: "INVALID_BODY", clock: ctx.clock }).catch((error: unknown) => {
		const isUnannounced = !isLarge && error instanceof AppError && error.code === "FILE_TOO_LARGE";
		throw isUnannounced ? bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES, "Without a key and a Content-Length, the body") : error;
	});
}

/** Parses a body. `json` is undefined if the bytes are not JSON in UTF-8. `fault` names a number that could not be read exactly. */
function parseBody(bytes: Uint8Array): { readonly json: unknown; readonly fault: FieldFault | null } {
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
		return { json: JSON.parse(text), fault: findInexactNumber(text, "") };
	} catch {
		return { json: undefined, fault: null };
	}
}

/** Rejects a number that was not read exactly. The error names the tool's argument, not its place in the message. */
function changedArgument({ path, message }: FieldFault): AppError {
	return invalidInput("INVALID_BODY", [{ path: path.replace(/^params\.arguments\./, ""), message }]);
}

function explainFault(json: unknown): Response {
	if (json === undefined) return rpcError({ status: 400, code: PARSE_ERROR, message: "The body is not valid JSON in UTF-8." });
	const message = Array.isArray(json)
		? "Send one message per request: the protocol has no batches."
		: 'The body is not a JSON-RPC 2.0 message: {"jsonrpc": "2.0", "id": 1, "method": "...", "params": {...}}, with an id that is text or a whole number.';
	return rpcError({ status: 400, code: INVALID_REQUEST, message, id: findId(json) });
}

/** Returns the tool call in a message. Returns null for other messages, unknown tools, and arguments that are not an object. */
async function findCall(ctx: PublicCtx, message: RpcMessage): Promise<NamedCall | null> {
	const name = findCalledTool(message);
	if (name === null || !isToolName(name)) return null;
	const args = await makeArgumentsRegular(ctx, name, message.params?.["arguments"]);
	return args === null ? null : { name, args };
}

function findCallFault(call: NamedCall | null, { isLarge, fault }: { isLarge: boolean; fault: FieldFault | null }): AppError | null {
	if (isLarge && !takesFiles(call)) return largeCall();
	return call === null || fault === null ? null : changedArgument(fault);
}

function takesFiles(call: NamedCall | null): boolean {
	return call !== null && "files" in toolOf(call.name).takes;
}

/** Rejects a message that does not call a tool. A notification is only acknowledged, because no client waits for its response. */
function refuseOther(refusal: AppError, message: RpcMessage): Response {
	return message.id === undefined ? new Response(null, { status: 202 }) : refuseMessage(refusal, message);
}

function largeCall(): AppError {
	return bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES, "Without files, the body");
}

/**
 * Counts a message once against a rate limit. A tool call counts against the limit of the operation behind it. Returns the error if the
 * limit is exceeded, and null otherwise.
 */
async function findExcess(
	ctx: PublicCtx,
	request: Request,
	{ message, call, program }: { message: RpcMessage; call: NamedCall | null; program: Actor | null },
): Promise<AppError | null> {
	try {
		const hasKey = request.headers.has("Authorization");
		const operation = call === null ? null : await findOperationOf(ctx, call.name, { args: call.args, hasKey });
		const reads = message.method === "tools/call" || message.method === "resources/read";
		if (!reads) await assertWithinOpeningLimit(ctx, request);
		else await count(ctx, request, { rate: operation === null || operation.rate === "none" ? "general" : operation.rate, program });
		return null;
	} catch (error) {
		if (error instanceof AppError) return error;
		throw error;
	}
}

async function count(ctx: PublicCtx, request: Request, { rate, program }: { rate: RateClass; program: Actor | null }): Promise<void> {
	if (program === null) await assertWithinRateLimit(ctx, rate, request);
	else await assertWithinAgentLimit(ctx, rate, program.agentId);
}

/** Rejects a caller without a key before its arguments are checked, so that clients start to sign in. @throws AppError `unauthorized`. */
async function assertOpen(ctx: PublicCtx, call: NamedCall | null): Promise<void> {
	const operation = call === null ? null : await findOperationOf(ctx, call.name, { args: call.args, hasKey: false });
	if (operation?.auth === "key") throw credentialRefused();
}
