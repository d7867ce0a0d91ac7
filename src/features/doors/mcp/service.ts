import {
	createMcpHandler,
	INVALID_REQUEST,
	isLegacyRequest,
	legacyStatelessFallback,
	METHOD_NOT_FOUND,
	PARSE_ERROR,
	WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { AppError, wireCodeOf } from "../../../domain/errors.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { DEFAULT_BODY_LIMIT_BYTES, isJson, LARGEST_BODY_LIMIT_BYTES } from "../../../http/body.ts";
import { assertWithinRateLimit } from "../../../http/rate-limit.ts";
import { announcedLengthOf, bodyTooLarge, readBytes } from "../../../http/raw-body.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import type { RateClass } from "../../../ports/rate-limits.ts";
import { COMPETE } from "./compete.ts";
import { EndpointClient, Refusal } from "./endpoint-client.ts";
import { SERVER_INFO, SUMMARY } from "./identity.ts";
import { findOperation } from "./operations.ts";
import { createServer } from "./protocol-server.ts";
import {
	findCalledTool,
	findId,
	findOperationId,
	LEGACY_REVISIONS,
	MODERN_REVISION,
	parseMessage,
	type RpcMessage,
	readAccept,
} from "./rules.ts";
import { assertCaller, findIdentify, type Identify, withSignIn } from "./sign-in.ts";
import { ENDPOINT_OF_TOOL } from "./tool-calls.ts";
import { isToolName, listTools } from "./tools.ts";

/**
 * Handles one JSON-RPC message. A fault of the message is an error of the protocol; a refusal by a tool is the tool's result.
 *
 * @param options.mustSignIn Refuses a request without a credential, so that the client signs in.
 * @throws AppError `unauthorized` for a wrong key, `FORBIDDEN` for a suspended agent's, `FILE_TOO_LARGE`, `INVALID_BODY` when the body breaks off,
 * `SERVICE_BUSY` when an access token cannot be checked, `RATE_LIMITED` outside of tool calls.
 */
export async function handleMessage(ctx: PublicCtx, request: Request, { mustSignIn }: { mustSignIn: boolean }): Promise<Response> {
	try {
		if (mustSignIn && !request.headers.has("Authorization")) throw credentialRefused();
		return await handleCallersMessage(ctx, request, findIdentify(ctx, request));
	} catch (error) {
		throw withSignIn(ctx, error);
	}
}

async function handleCallersMessage(ctx: PublicCtx, request: Request, identify: Identify | null): Promise<Response> {
	if (!isJson(request.headers.get("Content-Type"))) {
		throw new AppError("UNSUPPORTED_FILE_TYPE", { message: "Send one JSON-RPC message, with the header Content-Type: application/json." });
	}
	const hasKey = request.headers.has("Authorization");
	const isLarge = (announcedLengthOf(request) ?? 0) > DEFAULT_BODY_LIMIT_BYTES;
	if (isLarge) await admitLargeMessage(ctx, request, identify);
	const { json, message } = await readMessage(ctx, request, isLarge);
	if (message === null) return refuseMessage(json);
	const limited = isLarge ? null : await countMessage(ctx, request, message);
	if (hasKey && !isLarge && limited === null) await assertCaller(ctx, request, identify);
	return dispatch(ctx, request, { json, message, limited, identify });
}

/** Counts a large message, and checks whose it is, before it is read: only then is it known which tool it calls. */
async function admitLargeMessage(ctx: PublicCtx, request: Request, identify: Identify | null): Promise<void> {
	if (!request.headers.has("Authorization")) throw bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES, "Without a key, the body");
	await assertWithinRateLimit(ctx, "submission", request);
	await assertCaller(ctx, request, identify);
}

/** Only tools that take files need much. `message` is null when the body is not a message. */
async function readMessage(ctx: PublicCtx, request: Request, isLarge: boolean): Promise<{ json: unknown; message: RpcMessage | null }> {
	const maxBytes = isLarge ? LARGEST_BODY_LIMIT_BYTES : DEFAULT_BODY_LIMIT_BYTES;
	const bytes = await readBytes(request, maxBytes, { faultCode: "INVALID_BODY", clock: ctx.clock }).catch((error: unknown) => {
		const isUnannounced = !isLarge && error instanceof AppError && error.code === "FILE_TOO_LARGE";
		throw isUnannounced ? bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES, "Without a key and a Content-Length, the body") : error;
	});
	const json = parseJson(bytes);
	const message = parseMessage(json);
	const tool = message === null ? null : findCalledTool(message);
	if (isLarge && tool !== "submit_files" && tool !== "check_files") throw bodyTooLarge(DEFAULT_BODY_LIMIT_BYTES);
	return { json, message };
}

/** Undefined for what is not JSON. */
function parseJson(bytes: Uint8Array): unknown {
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

interface RpcFault {
	readonly status: 400 | 404 | 406;
	readonly code: number;
	readonly message: string;
	readonly id?: string | number | null;
}

function rpcError({ status, code, message, id = null }: RpcFault): Response {
	return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status });
}

/**
 * Counts a message once. A tool that is over its limit says so in its result; the refusal is returned for that.
 *
 * @throws AppError `RATE_LIMITED` for other messages.
 */
async function countMessage(ctx: PublicCtx, request: Request, message: RpcMessage): Promise<Refusal | null> {
	const rate = await rateOf(ctx, message, request.headers.has("Authorization"));
	if (rate === "none") return null;
	try {
		await assertWithinRateLimit(ctx, rate, request);
		return null;
	} catch (error) {
		if (message.method !== "tools/call" || !(error instanceof AppError)) throw error;
		const { retryAfterSeconds = null } = error.facts;
		return new Refusal({ code: wireCodeOf(error.code), message: error.message, retryAfterSeconds });
	}
}

/** Without a key, what reads nothing is free, as the platform's static pages are. With one, the key has to be looked up. */
async function rateOf(ctx: PublicCtx, message: RpcMessage, hasKey: boolean): Promise<RateClass | "none"> {
	const tool = findCalledTool(message);
	if (tool === "call_operation") return (await findOperation(ctx, findOperationId(message) ?? ""))?.rate ?? "general";
	if (tool !== null && isToolName(tool)) return ENDPOINT_OF_TOOL[tool].rate;
	const reads = message.method === "tools/call" || message.method?.startsWith("resources/");
	return hasKey || reads ? "general" : "none";
}

interface Dispatched {
	readonly json: unknown;
	readonly message: RpcMessage;
	readonly limited: Refusal | null;
	readonly identify: Identify | null;
}

const NOT_ACCEPTABLE = -32_000;

/** Passes the message to the SDK, by the revision of the protocol that it uses. */
async function dispatch(ctx: PublicCtx, request: Request, { json, message, limited, identify }: Dispatched): Promise<Response> {
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

/** The request as the SDK wants it: it insists on both types, also where an asterisk says the same. */
function withoutBody(request: Request): Request {
	const headers = new Headers(request.headers);
	headers.set("Accept", "application/json, text/event-stream");
	return new Request(request.url, { method: "POST", headers, signal: request.signal });
}

/** What `/.well-known/mcp.json` shows. */
export function describeServer({ baseUrl }: PublicCtx) {
	return {
		name: `${new URL(baseUrl).hostname.split(".").toReversed().join(".")}/${SERVER_INFO.name}`,
		title: SERVER_INFO.title,
		description: SUMMARY,
		version: SERVER_INFO.version,
		websiteUrl: `${baseUrl}/docs/guides/mcp`,
		remotes: [
			{
				type: "streamable-http" as const,
				url: `${baseUrl}/mcp`,
				supportedProtocolVersions: [MODERN_REVISION, ...LEGACY_REVISIONS],
				headers: [
					{
						name: "Authorization",
						description:
							"Bearer and your API key, svc_sk_.... The tool register returns one. Listing, find_tasks, read_task and leaderboard work without a key.",
						isRequired: false,
						isSecret: true,
					},
				],
			},
		],
		capabilities: { tools: {}, resources: {}, prompts: {} },
		tools: listTools().map(({ name, description }) => ({ name, description })),
		prompts: [{ name: COMPETE.name, description: COMPETE.description }],
	};
}
