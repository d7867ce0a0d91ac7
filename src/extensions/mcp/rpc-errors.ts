// The MCP server returns errors in the form of JSON-RPC.
import * as z from "zod";
import { AppError, errorEntryOf, wireCodeOf } from "../../domain/errors.ts";
import { type ErrorForm, toAppError } from "../../http/error-handler.ts";
import { describeError } from "../../platform/log.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { ToolRefusal } from "./endpoint-client.ts";
import type { RpcMessage } from "./messages.ts";
import { nextStepOf } from "./results.ts";
import { MCP_PATH } from "./rules.ts";

/** The JSON-RPC code of every rejection by the platform. `data` contains the platform's own code. */
export const REFUSED = -32_000;

/** Every error response of the MCP server has this body. */
export const rpcErrorBody = z
	.object({
		jsonrpc: z.literal("2.0").describe("The version of JSON-RPC."),
		id: z
			.union([z.string(), z.int(), z.null()])
			.meta({ description: "The id of the message, a string or a whole number. Null if the message was not read.", override: {} }),
		error: z
			.object({
				code: z.int().describe(`\`${REFUSED}\` for a request that the platform rejects, otherwise a standard JSON-RPC code.`),
				message: z.string().describe("What is wrong, and what to do next."),
				data: z
					.object({
						code: z.string().describe("The API's name of the error."),
						retry_after_seconds: z.int().nullable().describe("When to try again. Null if waiting does not help."),
					})
					.optional()
					.describe("Only with the code `-32000`."),
			})
			.describe("The error."),
	})
	.meta({ id: "McpError", description: "An error of JSON-RPC." });

export function rpcError({
	status,
	code,
	message,
	id = null,
}: {
	status: number;
	code: number;
	message: string;
	id?: string | number | null;
}): Response {
	return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status });
}

/**
 * Statuses that are kept even for a message with an id, for example because clients start to sign in only after a 401, and ask for a larger
 * scope only after a 403.
 */
const KEPT_STATUSES: readonly number[] = [401, 403, 413];

/**
 * Builds the response to a rejected message.
 * If the message has an id, the status is usually 200, because several clients close the whole connection after any other status.
 */
export function refuseMessage(refusal: AppError, message: RpcMessage | null): Response {
	const { status } = errorEntryOf(refusal.code);
	const id = status === 413 ? null : (message?.id ?? null);
	const httpStatus = id === null || KEPT_STATUSES.includes(status) ? status : 200;
	return Response.json(bodyOfRefusal(refusal, id), { status: httpStatus, headers: { ...refusal.facts.headers } });
}

export function bodyOfRefusal(refusal: AppError, id: string | number | null = null): z.output<typeof rpcErrorBody> {
	const { code, message, retryAfterSeconds } = refusalOf(refusal);
	const text = `${code}: ${message} Next: ${nextStepOf({ code, retryAfterSeconds })}`;
	return { jsonrpc: "2.0", id, error: { code: REFUSED, message: text, data: { code, retry_after_seconds: retryAfterSeconds } } };
}

/** Converts an error of the platform into a tool's error. */
export function refusalOf({ code, message, facts }: AppError): ToolRefusal {
	return new ToolRefusal({ code: wireCodeOf(code), message, retryAfterSeconds: facts.retryAfterSeconds ?? null });
}

/** Turns anything thrown into an AppError, and logs unexpected errors. */
export function toRefusal({ log, requestId }: PublicCtx, error: unknown): AppError {
	if (error instanceof AppError) return error;
	log.error("request_failed", { request_id: requestId, ...describeError(error) });
	return toAppError(error);
}

const envelope = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

export const rpcErrors: ErrorForm = { isFor: (path) => path === MCP_PATH || path.startsWith(`${MCP_PATH}/`), show: toRpcRefusal };

/** Converts the response to a request that did not reach the server's endpoint, such as one with a wrong method, to JSON-RPC. */
async function toRpcRefusal(refusal: Response): Promise<Response> {
	const { code, message } = envelope.parse(await refusal.json()).error;
	const retryAfter = refusal.headers.get("Retry-After");
	const data = { code, retry_after_seconds: retryAfter === null ? null : Number(retryAfter) };
	const headers = new Headers(refusal.headers);
	headers.delete("Content-Length");
	return Response.json(
		{ jsonrpc: "2.0", id: null, error: { code: REFUSED, message: `${code}: ${message}`, data } },
		{ status: refusal.status, headers },
	);
}
