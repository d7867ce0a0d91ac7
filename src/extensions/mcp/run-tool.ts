// Calls a tool. Its row says which operation to call, and which fields of the response are the result.
import type { CallToolResult } from "@modelcontextprotocol/server";
import { ERRORS } from "../../domain/errors.ts";
import { type Fields, findFaults, isFields, makeRegular } from "../../domain/tool-arguments.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import { describeError } from "../../platform/log.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { type CallParts, getOperation, invalidArguments, placeholdersOf, ToolRefusal, withArgumentNames } from "./endpoint-client.ts";
import { callOperation, findOperations } from "./operations.ts";
import { findOperation, nameOperations, type Operation } from "./operations-file.ts";
import { readFile } from "./reading.ts";
import { fitResult, MAX_RESULT_CHARACTERS, pickFields, sizeOf, toToolError, toToolResult } from "./results.ts";
import type { OwnResult, ToolCall } from "./tool-call.ts";
import { findInputSchema } from "./tool-list.ts";
import { type Call, DEFAULT_LIMIT, type Tool } from "./tool-row.ts";
import { type ToolName, toolOf } from "./tools.ts";
import { waitForScore } from "./waiting.ts";

/** The tools that build their results themselves. */
const OWN_RESULTS: Partial<Readonly<Record<ToolName, OwnResult>>> = {
	wait_for_score: waitForScore,
	read_file: readFile,
	find_operations: findOperations,
	call_operation: callOperation,
};

/** Normalizes the arguments of a call. Returns null for an unknown tool, or for arguments that are not an object. */
export async function makeArgumentsRegular(ctx: PublicCtx, name: string, given: unknown): Promise<Fields | null> {
	const schema = await findInputSchema(ctx, name);
	const args = schema === null ? null : (makeRegular(schema, given) ?? {});
	return isFields(args) ? args : null;
}

/** Finds the operation behind a call. The call counts against that operation's rate limit, and needs a key if the operation needs one. */
export async function findOperationOf(
	ctx: PublicCtx,
	name: ToolName,
	{ args, hasKey }: { args: Fields; hasKey: boolean },
): Promise<Operation | null> {
	if (name === "call_operation") return findOperation(ctx, String(args["operation_id"]));
	const call = chooseCall(toolOf(name), args);
	return call === null ? null : getOperation(ctx, operationOf(call, hasKey));
}

function chooseCall({ calls }: Tool, args: Fields): Call | null {
	return calls.find(({ when }) => when?.(args) ?? true) ?? null;
}

function operationOf({ operation, keyless }: Call, hasKey: boolean): string {
	return hasKey ? operation : (keyless ?? operation);
}

/**
 * Calls a tool with normalized arguments.
 * Every failure is a result that says what to do, because a model reads results instead of error codes.
 */
export async function callTool(call: ToolCall, name: ToolName, args: Fields): Promise<CallToolResult> {
	try {
		return toToolResult(await runTool(call, name, args));
	} catch (error) {
		if (error instanceof ToolRefusal) return toToolError(error);
		call.ctx.log.error("tool_failed", { request_id: call.ctx.requestId, tool: name, ...describeError(error) });
		return toToolError(new ToolRefusal({ code: "INTERNAL_ERROR", message: ERRORS.INTERNAL_ERROR.message }));
	}
}

const DEFAULT_MORE = 'call again with a smaller limit and follow next_cursor, or without detail "full".';

async function runTool(call: ToolCall, name: ToolName, args: Fields): Promise<Fields> {
	const schema = await findInputSchema(call.ctx, name);
	const faults = schema === null ? [] : findFaults(schema, args);
	if (faults.length > 0) throw invalidArguments(faults);
	const tool = toolOf(name);
	const own = OWN_RESULTS[name];
	const result = own === undefined ? await runRow(call, tool, args) : await own(call, args, chooseCall(tool, args));
	const textLimit = args["detail"] === "full" ? undefined : tool.textLimit;
	return fitResult(result, { textLimit, more: tool.more ?? DEFAULT_MORE });
}

/** Calls a row's operation. If the result is too long, requests a shorter list, because the cursor would skip items that are cut. */
async function runRow(call: ToolCall, tool: Tool, args: Fields): Promise<Fields> {
	const chosen = chooseCall(tool, args);
	if (chosen === null) throw new Error("A tool without operations must make its own result.");
	const limited = "limit" in tool.takes ? { ...args, limit: args["limit"] ?? DEFAULT_LIMIT } : args;
	const result = await callRow(call, tool, { chosen, args: limited });
	const length = Math.max(0, ...Object.values(result).map((value) => (Array.isArray(value) ? value.length : 0)));
	const share = MAX_RESULT_CHARACTERS / sizeOf(result);
	if (share >= 1 || length < 2 || !("limit" in tool.takes)) return result;
	return callRow(call, tool, { chosen, args: { ...args, limit: Math.max(1, Math.floor(length * share * 0.8)) } });
}

async function callRow(call: ToolCall, tool: Tool, { chosen, args }: { chosen: Call; args: Fields }): Promise<Fields> {
	const { api, ctx } = call;
	const { picks, also, next, send = {} } = chosen;
	const view = { args, isFull: args["detail"] === "full" };
	try {
		const operation = await getOperation(ctx, operationOf(chosen, api.hasKey));
		const parts = await partsOf(operation, { chosen, args, tool });
		const response = await nameInWarnings(ctx, await api.call(operation.operation_id, parts));
		const added = also === undefined ? {} : pickFields(also.picks, await callAlso(call, { also, response, parts, args }), view);
		const following = typeof next === "function" && isFields(response) ? next(response) : next;
		return { ...pickFields(picks, response, view), ...added, ...(following === undefined ? {} : { next: following }) };
	} catch (error) {
		throw error instanceof ToolRefusal ? withArgumentNames(error, send) : error;
	}
}

async function callAlso(
	{ api }: ToolCall,
	{ also, response, parts, args }: { also: NonNullable<Call["also"]>; response: unknown; parts: CallParts; args: Fields },
): Promise<unknown> {
	if (!api.hasKey || !isFields(response) || also.when?.(response) === false) return undefined;
	const query = (["limit", "cursor"] as const).flatMap((name) => (args[name] === undefined ? [] : [[name, String(args[name])] as const]));
	return api.call(also.operation, { params: parts.params ?? {}, query });
}

/** Sorts arguments into the path, the query or the body of a request. */
async function partsOf(operation: Operation, { chosen, args, tool }: { chosen: Call; args: Fields; tool: Tool }): Promise<CallParts> {
	const { send = {}, fixed = {}, bodyOf } = chosen;
	const { detail: _, files, ...others } = args;
	const toolArguments = Object.entries(others).filter(([name]) => tool.takesOthers === true || Object.hasOwn(tool.takes, name));
	const named = toolArguments.map(([name, value]) => [send[name] ?? name, value] as const);
	const inPath = new Set(placeholdersOf(operation));
	const params = Object.fromEntries(named.filter(([name]) => inPath.has(name)).map(([name, value]) => [name, String(value)]));
	const rest = named.filter(([name]) => !inPath.has(name));
	if (operation.method === "GET" || operation.method === "DELETE") {
		return { params, query: [...rest.map(([name, value]) => [name, String(value)] as const), ...Object.entries(fixed)] };
	}
	const map = files === undefined ? {} : { files: mapFiles(files) };
	const body = bodyOf === undefined ? { ...Object.fromEntries(rest), ...map } : bodyOf(args);
	return { params, body, idempotencyKey: tool.isOncePerFiles === true ? await keyOf(map.files ?? {}) : undefined };
}

/** Turns a tool's list of files into the map that endpoints expect. */
function mapFiles(files: unknown): Fields {
	const map = new Map<string, unknown>();
	for (const [index, file] of (Array.isArray(files) ? files : []).entries()) {
		const { path, content, encoding } = isFields(file) ? file : {};
		if (map.has(String(path))) throw invalidArguments([{ path: `files[${index}].path`, message: "is the path of an earlier file" }]);
		map.set(String(path), encoding === "base64" ? { content, encoding } : content);
	}
	return Object.fromEntries(map);
}

/**
 * Returns an idempotency key that is the same for the same files in any order, so that a repeated call does not use a second slot. The
 * endpoint adds the caller and the task.
 */
async function keyOf(files: Fields): Promise<string> {
	const sorted = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
	const named = await Promise.all(sorted.map(async ([path, file]) => [path, await sha256Hex(submittedBytesOf(file))]));
	return `mcp-${await sha256Hex(JSON.stringify(named))}`;
}

/** Reads a file's bytes in the same way as the endpoint, which rejects invalid base64. */
function submittedBytesOf(file: unknown): Uint8Array | string {
	if (!isFields(file)) return String(file);
	try {
		return Uint8Array.fromBase64(String(file["content"]));
	} catch {
		return JSON.stringify(file);
	}
}

/** Replaces the requests in warnings with operation ids, because clients of this server call operations through a tool. */
async function nameInWarnings(ctx: PublicCtx, response: unknown): Promise<unknown> {
	if (!isFields(response) || !Array.isArray(response["warnings"])) return response;
	const warnings = response["warnings"].map(async (warning: unknown) =>
		isFields(warning) && typeof warning["message"] === "string"
			? { ...warning, message: await nameOperations(ctx, warning["message"]) }
			: warning,
	);
	return { ...response, warnings: await Promise.all(warnings) };
}
