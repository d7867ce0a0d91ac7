// These tools reach every operation of the API: finding one, reading its piece of the OpenAPI document, calling it.
import * as z from "zod";
import type { PublicCtx } from "../../../ports/deps.ts";
import { fillBaseUrl } from "../site/rules.ts";
import { invalidArguments, ToolRefusal } from "./endpoint-client.ts";
import type { ToolCall, ToolOutcome } from "./tool-results.ts";
import type { ArgumentsOf } from "./tools.ts";

const MAX_FOUND = 10;
/** A word of the name or the summary says more than one of the description. */
const NAME_POINTS = 3;

/** scripts/site/operations.ts builds `operations.json` from the contracts. */
const operationsFile = z.object({
	operations: z.array(
		z.object({
			operation_id: z.string(),
			method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
			path: z.string(),
			/** The parameter of this name may contain slashes. */
			greedy: z.string().nullable(),
			summary: z.string(),
			description: z.string(),
			rate: z.enum(["general", "mutation", "submission", "none"]),
			/** The text says why the operation cannot be called as a tool. It is null if it can. */
			obstacle: z.string().nullable(),
		}),
	),
});

type Operation = z.infer<typeof operationsFile>["operations"][number];

async function readOperations({ assets }: PublicCtx): Promise<readonly Operation[]> {
	return (await assets.readJson("operations.json", operationsFile)).operations;
}

/** Returns null for an operation that does not exist. */
export async function findOperation(ctx: PublicCtx, operationId: string): Promise<Operation | null> {
	return (await readOperations(ctx)).find(({ operation_id }) => operation_id === operationId) ?? null;
}

/** Finds operations by words, or returns one with its piece of the OpenAPI document. */
export async function findOperations({ ctx }: ToolCall, args: ArgumentsOf<"find_operations">): Promise<ToolOutcome<"find_operations">> {
	const { query, operation_id } = args;
	if (operation_id !== undefined) {
		const operation = await getOperation(ctx, operation_id);
		return { result: { operations: [briefOperation(operation)], document: await readPiece(ctx, operation.operation_id) } };
	}
	if (query === undefined) throw invalidArguments([{ path: "query", message: "is required without operation_id" }]);
	const words = query.toLowerCase().split(/\W+/).filter(Boolean);
	const found = (await readOperations(ctx))
		.map((operation) => ({ operation, points: pointsOf(operation, words) }))
		.filter(({ points }) => points > 0)
		.toSorted((a, b) => b.points - a.points);
	return { result: { operations: found.slice(0, MAX_FOUND).map(({ operation }) => briefOperation(operation)) } };
}

function briefOperation({ operation_id, method, path, summary }: Operation) {
	return { operation_id, method, path, summary };
}

function pointsOf({ operation_id, path, summary, description }: Operation, words: readonly string[]): number {
	const name = `${operation_id} ${path} ${summary}`.toLowerCase();
	const rest = description.toLowerCase();
	return words.reduce((sum, word) => sum + (name.includes(word) ? NAME_POINTS : rest.includes(word) ? 1 : 0), 0);
}

async function readPiece({ assets, baseUrl }: PublicCtx, operationId: string): Promise<Readonly<Record<string, unknown>>> {
	const file = await assets.find(`openapi/calls/${operationId}.json`);
	if (file === null) throw new Error(`The document for calls of ${operationId} is not built.`);
	return z.record(z.string(), z.unknown()).parse(JSON.parse(fillBaseUrl(await file.text(), baseUrl)));
}

/** Calls an operation with the caller's key. The endpoint refuses what it would refuse over HTTP. */
export async function callOperation({ ctx, api }: ToolCall, args: ArgumentsOf<"call_operation">): Promise<ToolOutcome<"call_operation">> {
	const { operation_id, params, query, body } = args;
	const operation = await getOperation(ctx, operation_id);
	if (operation.obstacle !== null) throw notCallable(operation_id, operation.obstacle);
	const missing = [...operation.path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = ""]) => (params[name] === undefined ? [name] : []));
	if (missing.length > 0) throw invalidArguments(missing.map((name) => ({ path: `params.${name}`, message: "is required" })));
	const response = await api.send({ ...operation, params, query, body });
	const text = await response.text();
	const isJson = text === "" || response.headers.get("Content-Type")?.startsWith("application/json") === true;
	if (!isJson) throw notCallable(operation_id, "this response of it is not JSON. Send an HTTP request.");
	return { result: { status: response.status, body: text === "" ? null : JSON.parse(text) } };
}

function notCallable(operationId: string, reason: string): ToolRefusal {
	return new ToolRefusal({ code: "BAD_REQUEST", message: `${operationId} cannot be called here: ${reason}` });
}

/** Reads an operation. @throws ToolRefusal `NOT_FOUND`. */
async function getOperation(ctx: PublicCtx, operationId: string): Promise<Operation> {
	const operation = await findOperation(ctx, operationId);
	if (operation === null)
		throw new ToolRefusal({ code: "NOT_FOUND", message: "No operation has this id. Call find_operations with a query to find one." });
	return operation;
}
