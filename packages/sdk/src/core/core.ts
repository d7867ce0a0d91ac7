// Every method of the client makes its request with openapi-fetch. This file sends it and reads its response.
import createClient, { createQuerySerializer } from "openapi-fetch";
import { OPERATIONS } from "../generated/methods.ts";
import { BountyConnectionError, BountyUsageError } from "./errors.ts";
import { type FollowOptions, follow, type StreamEvent } from "./follow.ts";
import { trustDocument } from "./json.ts";
import type { InputOf, OperationId, ResultOf } from "./operation-types.ts";
import { assertCredential, type Bytes, type ClientOptions, parseBaseUrl, type UploadOptions } from "./options.ts";
import { Paged } from "./pages.ts";
import { Transport } from "./transport.ts";
import { prepareBytes } from "./upload.ts";

const BOOKMARK = "X-D1-Bookmark";
const JSON_TYPE = /^application\/([\w.-]+\+)?json/;
/** These operations change nothing although they are a POST. */
const READING_POSTS: ReadonlySet<OperationId> = new Set(["checkSubmission", "lintTask"]);

type Query = Readonly<Record<string, unknown>>;

/** The input of any operation. {@link InputOf} has the exact type of each. */
export interface Input extends UploadOptions {
	readonly path?: Readonly<Record<string, string>>;
	readonly query?: Query | undefined;
	readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
	/** The body is JSON, or bytes. */
	readonly body?: unknown;
	/** Bytes have this media type. */
	readonly mediaType?: string;
	/** A multipart form has these fields. */
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

interface Reading {
	/** True returns the response before its body has arrived. */
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
	/** Reads send the newest change that this client has seen, so that they show at least that change. */
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
		const { data } = await readData<Result>(await this.#send(id, { ...input, headers: { Accept: "application/json", ...input.headers } }));
		if (data === undefined) throw new BountyConnectionError(`${id} got a response without data.`);
		return data;
	}

	/** Returns status, headers and data of a successful response, also of a 304. */
	async request<Id extends OperationId, Result = ResultOf<Id>>(id: Id, input: InputOf<Id>): Promise<ApiResponse<Result>> {
		return readData<Result>(await this.#send(id, input));
	}

	/** Returns a successful response whose body is read in pieces. A pause of more than a minute is a time-out. */
	open(id: OperationId, input: Input, firstMs?: number): Promise<Response> {
		return this.#send(id, input, { isOpen: true, firstMs });
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

	/** Returns the URL of an operation. */
	url(id: OperationId, { path = {}, query = {} }: Pick<Input, "path" | "query">): string {
		const search = createQuerySerializer()(query);
		return `${this.baseUrl}${fillPath(OPERATIONS[id].path, path)}${search === "" ? "" : `?${search}`}`;
	}

	async #send(id: OperationId, input: Input, reading: Reading = {}): Promise<Response> {
		const { signal, timeoutMs, maxRetries, fetch } = input;
		const options = { signal, timeoutMs, maxRetries, fetch, ...reading, ...(READING_POSTS.has(id) ? { isRepeatable: true } : {}) };
		const { method } = OPERATIONS[id];
		const headers = this.#headers(id, input);
		const bytes = isBytes(input.body) ? input.body : null;
		if (bytes !== null || input.signedUrl !== undefined) {
			const url = input.signedUrl ?? this.url(id, input);
			const upload = bytes === null ? null : await prepareBytes(bytes, { ...input, headers });
			const response = await this.#transport.send({ method, url, headers, ...upload, ...options });
			if (bytes !== null) upload?.onSent();
			return this.#remember(response);
		}
		let sent: Response | undefined;
		await this.#http.request(lowerCase(method), OPERATIONS[id].path, {
			params: { path: { ...input.path }, query: { ...input.query } },
			body: input.form === undefined ? input.body : toForm(input.form),
			bodySerializer: (body: unknown) => (body instanceof FormData ? body : JSON.stringify(body)),
			headers,
			parseAs: "stream",
			fetch: async (request: Request) => {
				const content = request.body === null ? undefined : await request.arrayBuffer();
				const body = content === undefined ? undefined : () => content;
				sent = await this.#transport.send({
					...{ method, url: request.url, headers: new Headers(request.headers), body, bodyBytes: content?.byteLength },
					...options,
				});
				return sent;
			},
		});
		if (sent === undefined) throw new BountyConnectionError(`${id} was not sent.`);
		return this.#remember(sent);
	}

	#remember(response: Response): Response {
		this.#bookmark = response.headers.get(BOOKMARK) ?? this.#bookmark;
		return response;
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

/** Fills a path. An empty or dotted part is refused, because it would form the URL of another endpoint. */
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

/** Reads JSON, or text of any other type. */
async function readData<Data>(response: Response): Promise<ApiResponse<Data>> {
	const { status, headers } = response;
	const requestId = headers.get("X-Request-Id") ?? undefined;
	if (status === 204 || status === 304) return { status, headers, requestId, data: undefined };
	const text = await response.text();
	const isJson = JSON_TYPE.test(headers.get("Content-Type") ?? "");
	return { status, headers, requestId, data: trustDocument<Data>(isJson ? parseJson(text) : text) };
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new BountyConnectionError("The response says that it is JSON and is not.", { cause: error });
	}
}
