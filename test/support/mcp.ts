// Sends JSON-RPC to POST /mcp without a client library, in both revisions of the protocol, so that tests see the wire format.
import { exports } from "cloudflare:workers";
import { z } from "zod";
import { randomAddress } from "./client.ts";

export const ERAS = ["2025-11-25", "2026-07-28"] as const;
export type EraName = (typeof ERAS)[number];

const META = "io.modelcontextprotocol";
const BOTH = "application/json, text/event-stream";

export interface McpOptions {
	readonly era?: EraName;
	readonly key?: string | null;
	readonly headers?: Readonly<Record<string, string>>;
	readonly fetch?: (request: Request) => Response | Promise<Response>;
}

const rpcResponse = z.object({
	jsonrpc: z.literal("2.0"),
	id: z.union([z.string(), z.number(), z.null()]),
	result: z.record(z.string(), z.unknown()).optional(),
	error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

export type RpcResponse = z.output<typeof rpcResponse>;

const toolResult = z.looseObject({
	content: z.array(z.looseObject({ type: z.string(), text: z.string().optional(), uri: z.string().optional() })),
	structuredContent: z.record(z.string(), z.unknown()).optional(),
	isError: z.boolean().optional(),
});

export type ToolResult = z.output<typeof toolResult>;

/** Sends a body unchanged. */
export function post(body: BodyInit, { key = null, headers = {}, fetch = (request) => exports.default.fetch(request) }: McpOptions = {}) {
	const all = new Headers({ "Content-Type": "application/json", Accept: BOTH, "CF-Connecting-IP": randomAddress(), ...headers });
	if (key !== null) all.set("Authorization", `Bearer ${key}`);
	return Promise.resolve(fetch(new Request("https://bounty.test/mcp", { method: "POST", headers: all, body })));
}

/** Returns a message with the headers and fields that its revision requires in addition to method and parameters. */
export function messageOf(era: EraName, method: string, params: Readonly<Record<string, unknown>> = {}) {
	const name = params["name"] ?? params["uri"];
	if (era === "2025-11-25") return { body: { jsonrpc: "2.0", id: 1, method, params }, headers: { "MCP-Protocol-Version": era } };
	const given = z.record(z.string(), z.unknown()).optional().parse(params["_meta"]);
	const _meta = {
		...given,
		[`${META}/protocolVersion`]: era,
		[`${META}/clientCapabilities`]: {},
		[`${META}/clientInfo`]: { name: "test", version: "1" },
	};
	const headers = { "MCP-Protocol-Version": era, "Mcp-Method": method, ...(typeof name === "string" ? { "Mcp-Name": name } : {}) };
	return { body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, headers };
}

export function send(method: string, params?: Readonly<Record<string, unknown>>, options: McpOptions = {}): Promise<Response> {
	const { body, headers } = messageOf(options.era ?? "2025-11-25", method, params);
	return post(JSON.stringify(body), { ...options, headers: { ...headers, ...options.headers } });
}

/** Returns the messages of a response: one message of JSON, or those of an event stream. */
export async function messagesOf(response: Response): Promise<unknown[]> {
	const text = await response.text();
	if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) return [JSON.parse(text)];
	const lines = text.split("\n").filter((line) => line.startsWith("data: ") && line.length > "data: ".length);
	return lines.map((line) => JSON.parse(line.slice("data: ".length)));
}

/** Sends a request and returns the response message. */
export async function rpc(method: string, params?: Readonly<Record<string, unknown>>, options: McpOptions = {}): Promise<RpcResponse> {
	const messages = await messagesOf(await send(method, params, options));
	return rpcResponse.parse(messages.at(-1));
}

/** Returns the result of a request that must succeed. */
export async function result(method: string, params?: Readonly<Record<string, unknown>>, options: McpOptions = {}) {
	const response = await rpc(method, params, options);
	if (response.result === undefined) throw new Error(`${method}: ${JSON.stringify(response)}`);
	return response.result;
}

/** Calls a tool and returns any result. */
export async function tool(name: string, args: Readonly<Record<string, unknown>>, options: McpOptions = {}): Promise<ToolResult> {
	return toolResult.parse(await result("tools/call", { name, arguments: args }, options));
}

/** Calls a tool that must succeed, and returns its structured content. */
export async function call(
	name: string,
	args: Readonly<Record<string, unknown>>,
	options: McpOptions = {},
): Promise<Record<string, unknown>> {
	const { structuredContent, isError, content } = await tool(name, args, options);
	if (isError === true || structuredContent === undefined) throw new Error(`${name}: ${JSON.stringify(content)}`);
	return structuredContent;
}

/** Calls a tool that must fail, and returns the text of the error. */
export async function failure(name: string, args: Readonly<Record<string, unknown>>, options: McpOptions = {}): Promise<string> {
	const { isError, content } = await tool(name, args, options);
	if (isError !== true) throw new Error(`${name} did not fail: ${JSON.stringify(content)}`);
	return content[0]?.text ?? "";
}

/** Calls a tool that must succeed, and returns the text field of this name in its structured content. */
export async function textOf(
	field: string,
	name: string,
	args: Readonly<Record<string, unknown>>,
	options: McpOptions = {},
): Promise<string> {
	return z.string().parse((await call(name, args, options))[field]);
}

/** Makes the list of files that tools take. */
export function listOf(files: Readonly<Record<string, unknown>>) {
	return Object.entries(files).map(([path, content]) => ({ path, content }));
}

const toolList = z.object({
	tools: z.array(
		z.looseObject({
			name: z.string(),
			inputSchema: z.looseObject({}),
			outputSchema: z.looseObject({}),
			annotations: z.looseObject({ readOnlyHint: z.boolean() }),
		}),
	),
});

/** Lists the tools as a client sees them. */
export async function listTools() {
	return toolList.parse(await result("tools/list")).tools;
}
