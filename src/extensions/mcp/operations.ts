// Tools that reach every operation of the API: find it, read its part of the OpenAPI document, call it.
import * as z from "zod";
import { fillBaseUrl } from "../../core/docs/rules.ts";
import { findInexactNumber } from "../../domain/exact-numbers.ts";
import { isFields, parseJson } from "../../domain/tool-arguments.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { changedNumber, invalidArguments, placeholdersOf, ToolRefusal } from "./endpoint-client.ts";
import { findOperation, type Operation, readOperations } from "./operations-file.ts";
import type { OwnResult } from "./tool-call.ts";

const MAX_FOUND = 10;
/** A match in the name or the summary weighs more than a match in the description. */
const NAME_POINTS = 3;

/** Finds operations by words, or returns one with its part of the OpenAPI document. */
export const findOperations: OwnResult = async ({ ctx }, { query, operation_id }) => {
	if (operation_id !== undefined) {
		const operation = await getCalled(ctx, operation_id);
		return { operations: [briefOperation(operation)], document: await readPiece(ctx, operation.operation_id) };
	}
	if (query === undefined) throw invalidArguments([{ path: "query", message: "is required without operation_id" }]);
	const words = String(query).toLowerCase().split(/\W+/).filter(Boolean);
	const matches = (await readOperations(ctx))
		.map((operation) => ({ operation, points: pointsOf(operation, words) }))
		.filter(({ points }) => points > 0)
		.toSorted((a, b) => b.points - a.points);
	return { operations: matches.slice(0, MAX_FOUND).map(({ operation }) => briefOperation(operation)) };
};

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

/** Calls an operation with the caller's key. The endpoint applies the same checks as over HTTP. */
export const callOperation: OwnResult = async ({ ctx, api }, { operation_id, params, query, body }) => {
	const operation = await getCalled(ctx, operation_id);
	if (operation.obstacle !== null) throw notCallable(operation, operation.obstacle);
	const named = Object.fromEntries(pairsOf(params));
	const missing = placeholdersOf(operation).filter((name) => named[name] === undefined);
	if (missing.length > 0) throw invalidArguments(missing.map((name) => ({ path: "params", message: `must have ${name}` })));
	const response = await api.open(operation, { params: named, query: pairsOf(query), body: readBody(body) });
	const text = await response.text();
	const isJson = text === "" || response.headers.get("Content-Type")?.startsWith("application/json") === true;
	if (!isJson) throw notCallable(operation, "this response is not JSON. Send an HTTP request.");
	return { status: response.status, body: text === "" ? null : JSON.parse(text) };
};

function pairsOf(list: unknown): (readonly [string, string])[] {
	return (Array.isArray(list) ? list : []).flatMap((pair: unknown) =>
		isFields(pair) ? [[String(pair["name"]), String(pair["value"])] as const] : [],
	);
}

function readBody(text: unknown): unknown {
	if (text === undefined) return undefined;
	const body = parseJson(String(text));
	if (body === undefined) throw invalidArguments([{ path: "body", message: 'must be JSON text, such as {"reason": "..."}' }]);
	const fault = findInexactNumber(String(text), "body");
	if (fault !== null) throw changedNumber(fault);
	return body;
}

function notCallable({ operation_id }: Operation, reason: string): ToolRefusal {
	return new ToolRefusal({ code: "BAD_REQUEST", message: `${operation_id} cannot be called here: ${reason}` });
}

/** Reads the operation that a caller names. @throws ToolRefusal `NOT_FOUND`. */
async function getCalled(ctx: PublicCtx, operationId: unknown): Promise<Operation> {
	const operation = await findOperation(ctx, String(operationId));
	if (operation === null)
		throw new ToolRefusal({ code: "NOT_FOUND", message: "No operation has this id. Call find_operations with a query to find one." });
	return operation;
}
