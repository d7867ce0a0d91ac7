// Every method of the client makes its request with openapi-fetch. This file sends it and reads its response.
import createClient, { createQuerySerializer } from "openapi-fetch";
import { OPERATIONS } from "../generated/methods.ts";
import { BountyConnectionError, BountyUsageError } from "./errors.ts";
import { type FollowOptions, follow, type StreamEvent } from "./follow.ts";
import { trustDocument } from "./json.ts";
import type { InputOf, OperationId, ResultOf } from "./operation-types.ts";
import { assertCredential, type Bytes, type ClientOptions, parseBaseUrl, type UploadOptions } from "./options.ts";
import { Paged } from "./pages.ts";
import { assertServerUrl } from "./server-url.ts";
import { type Take, Transport } from "./transport.ts";
import { prepareBytes } from "./upload.ts";

const BOOKMARK = "X-D1-Bookmark";
const JSON_TYPE = /^application\/([\w.-]+\+)?json/;
/** POST operations that change nothing. */
const READING_POSTS: ReadonlySet<OperationId> = new Set(["checkSubmission", "lintTask"]);

type Query = Readonly<Record<string, unknown>>;

/** The input of any operation. {@link InputOf} has the exact type of each. */
export interface Input extends UploadOptions {
	readonly path?: Readonly<Record<string, string>>;
	readonly query?: Query | undefined;
	readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
	/** JSON or bytes. */
	readonly body?: unknown;
	/** The media type of bytes. */
	readonly mediaType?: string;
	/** The fields of a multipart form. */
	readonly form?: Readonly<Record<string, string | Blob | undefined>>;
	/** Replaces the operation's path and the client's credentials. */
	readonly signedUrl?: string;
}

export interface ApiResponse<Data> {
	readonly status: number;
	readonly headers: Headers;
	readonly requestId: string | undefined;
	/** The data is undefined with 304 and 204. */
	readonly data: Data | undefined;
}

/** Describes any operation for openapi-fetch. The generated methods have the exact types. */
interface AnyOperation {
	readonly parameters: { readonly query?: Query; readonly path?: Readonly<Record<string, string>> };
	readonly requestBody?: { readonly content: { readonly "application/json": unknown } };
	readonly responses: { readonly 200: { readonly content: { readonly "text/plain": string } } };
}
type AnyPath = { [Method in "get" | "put" | "post" | "patch" | "delete"]: AnyOperation };
type AnyPaths = { [path: string]: AnyPath };

interface Reading<Taken> {
	readonly read: Take<Taken>;
	/** If true, returns the response before its body has arrived. */
	readonly isOpen?: boolean;
	/** The longest wait for the first piece of an open response, in milliseconds. */
	readonly firstMs?: number | undefined;
}

/** Sends requests to the operations of the OpenAPI document. */
export class Core {
	readonly baseUrl: string;
	readonly #transport: Transport;
	readonly #http: ReturnType<typeof createClient<AnyPaths>>;
	readonly #credentials: Pick<ClientOptions, "apiKey" | "adminToken" | "csrfToken">;
	/** Marks the newest change that this client has seen. Each read sends it, so that the response shows at least that change. */
	#bookmark: string | undefined;

	constructor(options: ClientOptions) {
		const { apiKey, adminToken, csrfToken } = options;
		this.baseUrl = parseBaseUrl(options.baseUrl);
		this.#transport = new Transport(options);
		this.#http = createClient<AnyPaths>({ baseUrl: this.baseUrl, pathSerializer: fillPath, redirect: "manual" });
		this.#credentials = {
			apiKey: apiKey === undefined ? undefined : assertCredential(apiKey, "apiKey"),
			adminToken: adminToken === undefined ? undefined : assertCredential(adminToken, "adminToken"),
			csrfToken,
		};
	}

	/** Returns the data of a successful response. */
	async call<Result>(id: OperationId, input: Input): Promise<Result> {
		const asked = { ...input, headers: { Accept: "application/json", ...input.headers } };
		const { data } = await this.#send(id, asked, { read: readerOf<Result>({ isJson: input.signedUrl === undefined }) });
		if (data === undefined) throw new BountyConnectionError(`${id} got a response without data.`);
		return data;
	}

	/** Returns status, headers and data of a successful response, including a 304. */
	async request<Id extends OperationId, Result = ResultOf<Id>>(id: Id, input: InputOf<Id>): Promise<ApiResponse<Result>> {
		return this.#send(id, input, { read: readerOf<Result>({ isJson: !("isJson" in OPERATIONS[id]) }) });
	}

	/** Returns a successful response whose body is read in pieces. A pause of more than a minute counts as a time-out. */
	open(id: OperationId, input: Input, firstMs?: number): Promise<Response> {
		return this.#send(id, input, { read: (response) => response, isOpen: true, firstMs });
	}

	/** Returns a list whose pages an operation returns. */
	list<Result>(id: OperationId, input: Input): Paged<Result> {
		return new Paged((cursor) =>
			this.call<Result>(id, { ...input, query: { ...input.query, ...(cursor === undefined ? {} : { cursor }) } }),
		);
	}

	/** Yields the events of a stream, over as many connections as needed. */
	follow<Event extends StreamEvent<string, unknown>>(
		id: OperationId,
		input: Input,
		options: FollowOptions,
	): AsyncGenerator<Event, void, undefined> {
		return follow<Event>((extra, firstMs) => this.open(id, { ...input, ...extra }, firstMs), options);
	}

	url(id: OperationId, { path = {}, query = {} }: Pick<Input, "path" | "query">): string {
		const search = createQuerySerializer()(query);
		return `${this.baseUrl}${fillPath(OPERATIONS[id].path, path)}${search === "" ? "" : `?${search}`}`;
	}

	async #send<Taken>(id: OperationId, input: Input, { read, ...reading }: Reading<Taken>): Promise<Taken> {
		const { signal, timeoutMs, maxRetries, fetch } = input;
		const options = { signal, timeoutMs, maxRetries, fetch, ...reading, ...(READING_POSTS.has(id) ? { isRepeatable: true } : {}) };
		const { method } = OPERATIONS[id];
		const headers = this.#headers(id, input);
		const take: Take<Taken> = (response, what) => {
			this.#bookmark = response.headers.get(BOOKMARK) ?? this.#bookmark;
			return read(response, what);
		};
		const bytes = isBytes(input.body) ? input.body : null;
		if (bytes !== null || input.signedUrl !== undefined) {
			const url = input.signedUrl === undefined ? this.url(id, input) : assertServerUrl(input.signedUrl, this.baseUrl);
			const upload = bytes === null ? null : await prepareBytes(bytes, { ...input, headers });
			const taken = await this.#transport.send({ method, url, headers, ...upload, ...options }, take);
			upload?.onSent();
			return taken;
		}
		let sent: { readonly taken: Taken } | undefined;
		await this.#http.request(lowerCase(method), OPERATIONS[id].path, {
			params: { path: { ...input.path }, query: { ...input.query } },
			body: input.form === undefined ? input.body : toForm(input.form),
			bodySerializer: (body: unknown) => (body instanceof FormData ? body : JSON.stringify(body)),
			headers,
			parseAs: "stream",
			fetch: async (request: Request) => {
				const content = request.body === null ? undefined : await request.arrayBuffer();
				const body = content === undefined ? undefined : () => content;
				const made = { method, url: request.url, headers: new Headers(request.headers), body, bodyBytes: content?.byteLength };
				sent = { taken: await this.#transport.send({ ...made, ...options }, take) };
				// The response has already been read.
				return new Response(null, { status: 204 });
			},
		});
		if (sent === undefined) throw new BountyConnectionError(`${id} was not sent.`);
		return sent.taken;
	}

	#headers(id: OperationId, input: Input): Headers {
		const { auth, method } = OPERATIONS[id];
		const { csrfToken, apiKey, adminToken } = this.#credentials;
		const own = { key: apiKey, admin: adminToken, session: undefined, operator: undefined, none: undefined, signed: undefined }[auth];
		const token = input.token === undefined ? own : assertCredential(input.token, "token");
		const headers = new Headers();
		const isRead = method === "GET";
		if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
		if (!isRead && auth !== "signed" && csrfToken !== undefined && token === undefined) headers.set("X-CSRF-Token", csrfToken);
		if (isRead && (auth === "key" || auth === "session") && this.#bookmark !== undefined) headers.set(BOOKMARK, this.#bookmark);
		if ("idempotencyKey" in OPERATIONS[id]) headers.set("Idempotency-Key", crypto.randomUUID());
		for (const [name, value] of Object.entries(input.headers ?? {})) if (value !== undefined) headers.set(name, value);
		return headers;
	}
}

/** Fills the placeholders of a path. Rejects an empty or dotted value, because it would form the URL of another endpoint. */
function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
	return path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = values[name];
		if (typeof value !== "string" || ["", ".", ".."].includes(value)) {
			throw new BountyUsageError(`${name} must not be ${value === undefined ? "missing" : JSON.stringify(value)}.`);
		}
		if (!value.isWellFormed()) throw new BountyUsageError(`${name} must be well-formed Unicode.`);
		return encodeURIComponent(value);
	});
}

function lowerCase<Method extends string>(method: Method): Lowercase<Method> {
	return trustDocument<Lowercase<Method>>(method.toLowerCase());
}

function isBytes(body: unknown): body is Bytes {
	return body instanceof Uint8Array || body instanceof ArrayBuffer || body instanceof Blob;
}

function toForm(fields: NonNullable<Input["form"]>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
	return form;
}

/**
 * Returns a reader of JSON, or of text of any other type.
 *
 * @param isJson If true, a body of another type comes from something in between, such as the sign-in page of a network.
 */
function readerOf<Data>({ isJson }: { readonly isJson: boolean }): Take<ApiResponse<Data>> {
	return async (response, what) => {
		const { status, headers } = response;
		const requestId = headers.get("X-Request-Id") ?? undefined;
		if (status === 204 || status === 304) return { status, headers, requestId, data: undefined };
		const text = await response.text();
		const type = headers.get("Content-Type") ?? "";
		if (JSON_TYPE.test(type)) return { status, headers, requestId, data: trustDocument<Data>(parseJson(text, what)) };
		if (isJson) throw new BountyConnectionError(`${what} returned ${type === "" ? "a body without a type" : type} instead of JSON.`);
		return { status, headers, requestId, data: trustDocument<Data>(text) };
	};
}

function parseJson(text: string, what: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new BountyConnectionError(`${what} returned a body that is not valid JSON.`, { cause: error });
	}
}
