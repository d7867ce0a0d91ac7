import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import { z } from "zod";
import { findEndpoint, type OperationId, operations } from "../../src/compose/endpoints.ts";
import { ERRORS, type ErrorCode, wireCodeOf } from "../../src/domain/errors.ts";
import { type EndpointContract, errorCodesOf } from "../../src/http/endpoint.ts";
import { expectSecurityHeaders } from "./security-headers.ts";

export interface CallInput {
	readonly params?: Readonly<Record<string, string>>;
	/** A list sends its parameter more than once. */
	readonly query?: Readonly<Record<string, string | number | readonly string[]>>;
	readonly headers?: Readonly<Record<string, string>>;
	/** The body is sent as JSON. */
	readonly body?: unknown;
	/** The body is sent unchanged, and the caller sets the content type. */
	readonly rawBody?: BodyInit;
}

/** What a call names: an operation of the platform, or the contract of an endpoint that the test mounts itself. */
export type Operation = OperationId | EndpointContract;

type ContractOf<O extends Operation> = O extends OperationId ? (typeof operations)[O] : O;
/** What a successful call returns. */
export type SuccessOf<O extends Operation> = ContractOf<O> extends EndpointContract ? z.output<ContractOf<O>["response"]["schema"]> : never;

/** A client calls the API over HTTP, with a key or without, from its own IP address. */
export interface Client {
	readonly key: string | null;
	/** Sends a request and returns the raw response. */
	send(operation: Operation, input?: CallInput): Promise<Response>;
	/** Expects success. The response must match the contract's schema exactly, without extra fields. */
	call<O extends Operation>(operation: O, input?: CallInput): Promise<SuccessOf<O>>;
	/** Expects this error with its status in the table of errors. The contract must announce it. */
	refused(operation: Operation, code: ErrorCode, input?: CallInput): Promise<Refusal>;
}

export interface Refusal {
	readonly message: string;
	readonly code: string;
	readonly details?: unknown;
	readonly headers: Headers;
}

const refusalBody = z.strictObject({
	error: z.strictObject({ message: z.string().min(1), code: z.string(), details: z.unknown().optional() }),
});

interface ClientOptions {
	readonly key?: string | null;
	readonly address?: string | null;
	/** Responds instead of the Worker, for example an app with changed dependencies. */
	readonly fetch?: (request: Request) => Response | Promise<Response>;
}

const fetchWorker = (request: Request) => exports.default.fetch(request);

/** Returns a client. Each call has another IP address unless `address` is given, because the limits count by IP address. */
export function createClient({ key = null, address = null, fetch = fetchWorker }: ClientOptions = {}): Client {
	const send = async (operation: Operation, input: CallInput = {}) => fetch(buildRequest(contractOf(operation), input, { key, address }));
	async function call<O extends Operation>(operation: O, input?: CallInput): Promise<SuccessOf<O>>;
	async function call(operation: Operation, input?: CallInput): Promise<unknown> {
		const contract = contractOf(operation);
		const response = await send(contract, input);
		const body: unknown = await response.json();
		expect({ status: response.status, body }).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
		expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
		expectSecurityHeaders(contract, response);
		return parseExactly(contract.response.schema, body);
	}
	return {
		key,
		send,
		call,
		async refused(operation, code, input) {
			const contract = contractOf(operation);
			const response = await send(contract, input);
			const body: unknown = await response.json();
			expect(body).toMatchObject({ error: { code: wireCodeOf(code) } });
			expect(response.status).toBe(ERRORS[code].status);
			expect(errorCodesOf(contract)).toContain(code);
			expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
			expectSecurityHeaders(contract, response);
			return { ...refusalBody.parse(body).error, headers: response.headers };
		},
	};
}

/** Returns false for an operation of an extension that this platform does not have. */
export function isThere(operation: string): boolean {
	return findEndpoint(operation) !== null;
}

/** Makes something with an operation that the platform may lack. Returns its id, or null if the platform lacks the operation. */
export async function makeIfThere(client: Client, operation: string, input: CallInput): Promise<string | null> {
	const contract = findEndpoint(operation);
	return contract === null ? null : z.object({ id: z.string() }).parse(await client.call(contract, input)).id;
}

/** Returns the contract of an operation. */
export function contractOf(operation: Operation): EndpointContract {
	return typeof operation === "string" ? operations[operation] : operation;
}

/** Parses a body and expects no unknown fields. The schema strips them, so a body that has some differs from the parsed value. */
function parseExactly<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
	const parsed = schema.parse(body);
	expect(body).toEqual(parsed);
	return parsed;
}

function buildRequest(contract: EndpointContract, input: CallInput, caller: { key: string | null; address: string | null }): Request {
	const path = contract.path.replace(/\{(\w+)\}/g, (_, name: string) => input.params?.[name] ?? `{${name}}`);
	const url = new URL(`https://bounty.test${path}`);
	for (const [name, value] of Object.entries(input.query ?? {})) {
		for (const one of typeof value === "object" ? value : [value]) url.searchParams.append(name, String(one));
	}
	const headers = new Headers({ "CF-Connecting-IP": caller.address ?? randomAddress(), ...input.headers });
	if (caller.key !== null) headers.set("Authorization", `Bearer ${caller.key}`);
	if (input.body !== undefined && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
	const body = input.body === undefined ? (input.rawBody ?? null) : JSON.stringify(input.body);
	return new Request(url, { method: contract.method.toUpperCase(), headers, body });
}

/** Returns an IP address from a range that is reserved for benchmarks. */
export function randomAddress(): string {
	const [a, b, c] = crypto.getRandomValues(new Uint8Array(3));
	return `198.${18 + ((a ?? 0) % 2)}.${b}.${c}`;
}
