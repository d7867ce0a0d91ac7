// Tools call the platform's own endpoints as their caller, so that validation, permissions and errors are the endpoint's.
import * as z from "zod";
import { type FieldFault, sentenceOf } from "../../domain/errors.ts";
import { createOwnRequest } from "../../http/own-requests.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { findOperation, nameOperations, type Operation } from "./operations-file.ts";

/** The error with which an endpoint, or this server itself, rejects a tool's call. */
export class ToolRefusal extends Error {
	override readonly name = "ToolRefusal";
	readonly code: string;
	readonly faults: readonly FieldFault[];
	readonly retryAfterSeconds: number | null;

	constructor({
		code,
		message,
		faults = [],
		retryAfterSeconds = null,
	}: {
		readonly code: string;
		readonly message: string;
		readonly faults?: readonly FieldFault[];
		readonly retryAfterSeconds?: number | null;
	}) {
		super(message);
		this.code = code;
		this.faults = faults;
		this.retryAfterSeconds = retryAfterSeconds;
	}
}

export function invalidArguments(faults: readonly FieldFault[]): ToolRefusal {
	return new ToolRefusal({ code: "VALIDATION_ERROR", message: "The arguments are not valid.", faults });
}

/**
 * Builds the error for a JSON argument with a number that cannot be stored exactly. This error has the same code as the endpoint's own
 * error.
 */
export function changedNumber(fault: FieldFault): ToolRefusal {
	return new ToolRefusal({ code: "INVALID_BODY", message: sentenceOf(fault), faults: [fault] });
}

const faultList = z.array(z.object({ path: z.string(), message: z.string() }));
const errorBody = z.object({ error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }) });

/** Reads an error from the response or the stream of an endpoint. */
export function parseRefusal(json: unknown, retryAfterSeconds: number | null = null): ToolRefusal {
	const { code, message, details } = errorBody.parse(json).error;
	return new ToolRefusal({ code, message, faults: faultList.safeParse(details).data ?? [], retryAfterSeconds });
}

export interface CallParts {
	readonly params?: Readonly<Record<string, string>>;
	/** A name can be repeated, once for each value. */
	readonly query?: readonly (readonly [name: string, value: string])[];
	readonly body?: unknown;
	readonly idempotencyKey?: string | undefined;
}

/** Calls endpoints for one caller, with the API key and the IP address of the request to the MCP server. */
export class EndpointClient {
	readonly #ctx: PublicCtx;
	readonly #request: Request;
	/**
	 * The `WWW-Authenticate` challenge if the scope of the caller's access token is too small.
	 * A client that reads it asks its user for a larger scope.
	 */
	missingScope: string | null = null;

	constructor(ctx: PublicCtx, request: Request) {
		this.#ctx = ctx;
		this.#request = request;
	}

	get hasKey(): boolean {
		return this.#request.headers.has("Authorization");
	}

	/** Calls an operation of this platform and returns its JSON. @throws ToolRefusal if the endpoint rejects the call. */
	async call(operationId: string, parts: CallParts = {}): Promise<unknown> {
		const response = await this.open(await getOperation(this.#ctx, operationId), parts);
		return response.json();
	}

	/** Calls an operation and returns its response, which need not be JSON. @throws ToolRefusal if the endpoint rejects the call. */
	async open(operation: Operation, { params = {}, query = [], body, idempotencyKey }: CallParts = {}): Promise<Response> {
		const path = pathOf(operation, params);
		const url = new URL(path, this.#request.url);
		// A parameter such as `..` would lead to another endpoint.
		if (url.pathname !== path) throw invalidArguments(Object.keys(params).map((name) => ({ path: name, message: "is not valid" })));
		for (const [name, value] of query) url.searchParams.append(name, value);
		return this.#send(url, { method: operation.method, body, idempotencyKey });
	}

	/** Reads a signed URL of this platform. @throws ToolRefusal */
	async follow(signedUrl: string): Promise<Response> {
		const { pathname, search } = new URL(signedUrl);
		return this.#send(new URL(pathname + search, this.#request.url), { method: "GET", body: undefined });
	}

	async #send(url: URL, { method, body, idempotencyKey }: { method: string; body: unknown; idempotencyKey?: string | undefined }) {
		const headers = this.#headers(idempotencyKey);
		const response = await this.#ctx.sendToSelf(createOwnRequest(url.href, { method, headers, body }));
		if (response.ok) return response;
		const challenge = response.headers.get("WWW-Authenticate");
		if (challenge?.includes('error="insufficient_scope"') === true) this.missingScope = challenge;
		const retryAfter = response.headers.get("Retry-After");
		const { code, message, faults, retryAfterSeconds } = parseRefusal(
			await response.json(),
			retryAfter === null ? null : Number(retryAfter),
		);
		throw new ToolRefusal({ code, message: await nameOperations(this.#ctx, message), faults, retryAfterSeconds });
	}

	/** Does not pass on cookies, so that pages of other origins cannot act for a signed-in human. */
	#headers(idempotencyKey: string | undefined): Headers {
		const headers = new Headers({ Accept: "application/json" });
		if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
		for (const name of ["Authorization", "CF-Connecting-IP", "X-D1-Bookmark"]) {
			const value = this.#request.headers.get(name);
			if (value !== null) headers.set(name, value);
		}
		return headers;
	}
}

/** Reads an operation by its id, which must exist. */
export async function getOperation(ctx: PublicCtx, operationId: string): Promise<Operation> {
	const operation = await findOperation(ctx, operationId);
	if (operation === null) throw new Error(`No operation is called ${operationId}.`);
	return operation;
}

export function placeholdersOf({ path }: Pick<Operation, "path">): string[] {
	return [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
}

function pathOf(operation: Operation, params: Readonly<Record<string, string>>): string {
	const missing = placeholdersOf(operation).filter((name) => params[name] === undefined || params[name] === "");
	if (missing.length > 0) throw invalidArguments(missing.map((name) => ({ path: name, message: "is required" })));
	return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = (params[name] ?? "").toWellFormed();
		return name === operation.greedy ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
	});
}

/** Renames the fields in faults from the operation's names to the tool's arguments. */
export function withArgumentNames(refusal: ToolRefusal, send: Readonly<Record<string, string>>): ToolRefusal {
	const names = new Map(Object.entries(send).map(([argument, name]) => [name, argument]));
	const rename = (text: string) => text.replace(/^\w+/, (name) => names.get(name) ?? name);
	const faults = refusal.faults.map(({ path, message }) => ({
		path: rename(path),
		message: message.startsWith(path) ? rename(message) : message,
	}));
	const { code, retryAfterSeconds } = refusal;
	const isFault = refusal.faults.some(({ message }) => message === refusal.message);
	return new ToolRefusal({ code, message: isFault ? rename(refusal.message) : refusal.message, faults, retryAfterSeconds });
}
