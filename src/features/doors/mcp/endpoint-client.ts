// A tool calls the platform's own endpoints as its caller, so that validation, permissions and errors are those of the endpoint.
import * as z from "zod";
import { ERRORS, type FieldFault } from "../../../domain/errors.ts";
import type { EndpointContract } from "../../../http/endpoint.ts";
import { createOwnRequest } from "../../../http/own-requests.ts";
import { describeIssue, faultsOf } from "../../../http/validation.ts";
import type { PublicCtx } from "../../../ports/deps.ts";

/** An endpoint has refused a tool's call with this error. */
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

/** Makes the refusal of arguments that do not fit a tool's schema. */
export function invalidArguments(faults: readonly FieldFault[]): ToolRefusal {
	return new ToolRefusal({ code: "VALIDATION_ERROR", message: "The arguments are not valid.", faults });
}

const faultList = z.array(z.object({ path: z.string(), message: z.string() }));
export const errorBody = z.object({ error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }) });

export interface CallParts {
	readonly params?: Readonly<Record<string, string>>;
	/** Undefined values are left out. */
	readonly query?: Readonly<Record<string, string | number | undefined>>;
	readonly body?: unknown;
	readonly idempotencyKey?: string;
}

/** The request of an operation whose contract is not at hand has these parts. */
interface RawCall {
	readonly method: string;
	/** Parameters are `{name}` placeholders. */
	readonly path: string;
	/** The parameter of this name may contain slashes. */
	readonly greedy: string | null;
	readonly params: Readonly<Record<string, string>>;
	readonly query: Readonly<Record<string, string | number | boolean>>;
	readonly body: unknown;
}

/** Calls endpoints for one caller, with the credential and the IP address of the request to the MCP server. */
export class EndpointClient {
	readonly #ctx: PublicCtx;
	readonly #request: Request;

	constructor(ctx: PublicCtx, request: Request) {
		this.#ctx = ctx;
		this.#request = request;
	}

	get hasKey(): boolean {
		return this.#request.headers.has("Authorization");
	}

	/**
	 * Calls an endpoint and returns its JSON.
	 *
	 * @throws ToolRefusal when the endpoint refuses the call.
	 */
	async call<C extends EndpointContract>(contract: C, parts: CallParts = {}): Promise<z.output<C["response"]["schema"]>> {
		const response = await this.open(contract, parts);
		return parseAs<C["response"]["schema"]>(contract.response.schema, await response.json());
	}

	/** Does the same as {@link call} for responses that are not JSON. */
	async open(contract: EndpointContract, { params = {}, query = {}, body, idempotencyKey }: CallParts = {}): Promise<Response> {
		// The endpoint would only say that nothing is at this path.
		const parsed = contract.params?.safeParse(params, { error: describeIssue });
		if (parsed?.success === false) throw invalidArguments(faultsOf(parsed.error));
		const { method, path, greedyParam = null } = contract;
		const url = this.#urlOf(pathOf({ path, greedy: greedyParam }, params), query);
		return this.#send(url, { method: method.toUpperCase(), body, idempotencyKey });
	}

	/** Calls an operation that is known by its method and path. @throws ToolRefusal */
	async send({ method, path, greedy, params, query, body }: RawCall): Promise<Response> {
		return this.#send(this.#urlOf(pathOf({ path, greedy }, params), query), { method, body });
	}

	/** Reads a signed URL of this platform. @throws ToolRefusal */
	async follow(signedUrl: string): Promise<Response> {
		const { pathname, search } = new URL(signedUrl);
		return this.#send(new URL(pathname + search, this.#request.url), { method: "GET", body: undefined });
	}

	#urlOf(path: string, query: Readonly<Record<string, string | number | boolean | undefined>>): URL {
		const url = new URL(path, this.#request.url);
		// A parameter such as `..` leads to another endpoint.
		if (url.pathname !== path) throw new ToolRefusal({ code: "NOT_FOUND", message: ERRORS.NOT_FOUND.message });
		for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
		return url;
	}

	async #send(url: URL, { method, body, idempotencyKey }: { method: string; body: unknown; idempotencyKey?: string | undefined }) {
		const headers = this.#headers(idempotencyKey);
		const response = await this.#ctx.sendToSelf(createOwnRequest(url.href, { method, headers, body }));
		if (response.ok) return response;
		throw await readToolRefusal(response);
	}

	/** Passes no cookie on, so that pages of other origins cannot act for a signed-in human. */
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

function parseAs<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
	return schema.parse(json);
}

function pathOf({ path, greedy }: Pick<RawCall, "path" | "greedy">, params: Readonly<Record<string, string>>): string {
	return path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = (params[name] ?? "").toWellFormed();
		return name === greedy ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
	});
}

async function readToolRefusal(response: Response): Promise<ToolRefusal> {
	const { code, message, details } = errorBody.parse(await response.json()).error;
	const retryAfter = response.headers.get("Retry-After");
	const faults = faultList.safeParse(details).data ?? [];
	return new ToolRefusal({ code, message, faults, retryAfterSeconds: retryAfter === null ? null : Number(retryAfter) });
}
