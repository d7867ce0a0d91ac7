import { OPERATIONS } from "../generated/operations.ts";
import type { Deadline } from "./deadline.ts";
import { BountyConnectionError, BountyUsageError } from "./errors.ts";
import { trustDocument } from "./json.ts";
import type { InputOf, OperationId, ResultOf } from "./operation-types.ts";
import type { CallOptions, ClientOptions } from "./options.ts";
import { type Outgoing, type Reader, type RequestBody, Transport } from "./transport.ts";

const BOOKMARK = "X-D1-Bookmark";
/** Requests that change nothing although they are a POST. */
const READING_POSTS: ReadonlySet<OperationId> = new Set(["checkSubmission", "lintTask"]);

type Scalar = string | number | boolean;
type Query = Readonly<Record<string, Scalar | readonly Scalar[] | null | undefined>>;

/** The input of any operation. {@link InputOf} has the exact type of each. */
export interface Input extends CallOptions {
	readonly path?: Readonly<Record<string, string>>;
	readonly query?: Query;
	readonly headers?: Readonly<Record<string, string | undefined>>;
	readonly body?: unknown;
}

/** In addition to the input: a body that is not JSON, or another credential. */
interface Special {
	readonly content?: (() => RequestBody) | undefined;
	readonly token?: string | undefined;
	/** A signed URL, which replaces path and key. */
	readonly signedUrl?: string | undefined;
}

export interface ApiResponse<Data> {
	readonly status: number;
	readonly headers: Headers;
	readonly requestId: string | undefined;
	/** Undefined with 304 and 204. */
	readonly data: Data | undefined;
}

/** Sends requests to the operations of the OpenAPI document. All resources are built on it. */
export class Core {
	readonly transport: Transport;
	#bookmark: string | undefined;

	constructor(options: ClientOptions) {
		this.transport = new Transport(options);
	}

	/** The data of a successful response. */
	async call<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<ResultOf<Id>> {
		return this.callWith(id, input, {});
	}

	/** As {@link call}, with a body that is not JSON, another credential or a signed URL. */
	async callWith<Id extends OperationId>(id: Id, input: Input, special: Special): Promise<ResultOf<Id>> {
		const { data } = await this.send<ApiResponse<ResultOf<Id>>>(id, { input, special }, readData);
		if (data === undefined) throw new BountyConnectionError(`${id} got a response without data.`);
		return data;
	}

	/** Status, headers and data of a successful response, 304 included. */
	request<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<ApiResponse<ResultOf<Id>>> {
		return this.send<ApiResponse<ResultOf<Id>>>(id, { input }, readData);
	}

	/** Sends a request to an operation and reads its response. */
	async send<Result>(id: OperationId, parts: { input: Input; special?: Special }, read: Reader<Result>): Promise<Result> {
		const { input, special = {} } = parts;
		const body = input.body;
		const content = special.content ?? (body === undefined ? undefined : () => jsonBody(body));
		const outgoing: Outgoing = {
			method: OPERATIONS[id].method,
			url: special.signedUrl ?? this.url(id, input),
			headers: special.signedUrl === undefined ? this.#headers(id, { input, special }) : {},
			body: content,
			signal: input.signal,
			timeoutMs: input.timeoutMs,
			maxRetries: input.maxRetries,
			...(READING_POSTS.has(id) ? { isRepeatable: true } : {}),
		};
		return this.transport.send(outgoing, (response, deadline) => {
			this.#bookmark = response.headers.get(BOOKMARK) ?? this.#bookmark;
			return read(response, deadline);
		});
	}

	/** The URL of an operation. */
	url(id: OperationId, { path = {}, query = {} }: Pick<Input, "path" | "query">): string {
		const filled = OPERATIONS[id].path.replace(/\{(\w+)\}/g, (_, name: string) => encodePart(path[name], name));
		const search = new URLSearchParams();
		for (const [name, value] of Object.entries(query)) {
			for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined && each !== null) search.append(name, String(each));
		}
		return `${this.transport.baseUrl}${filled}${search.size === 0 ? "" : `?${search}`}`;
	}

	#headers(id: OperationId, { input, special }: { input: Input; special: Special }): Record<string, string> {
		const { auth, bookmark, method } = OPERATIONS[id];
		const { csrfToken, apiKey, adminToken } = this.transport.credentials;
		const token = special.token ?? { key: apiKey, admin: adminToken, operator: undefined, none: undefined }[auth];
		return {
			...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
			...(csrfToken === undefined || apiKey !== undefined || method === "GET" ? {} : { "X-CSRF-Token": csrfToken }),
			...(bookmark && this.#bookmark !== undefined ? { [BOOKMARK]: this.#bookmark } : {}),
			...Object.fromEntries(Object.entries(input.headers ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
		};
	}
}

/** An empty or dotted part would make the URL of another endpoint. */
function encodePart(value: string | undefined, name: string): string {
	if (value === undefined || value === "" || value === "." || value === "..") {
		throw new BountyUsageError(`${name} must not be ${value === undefined ? "missing" : JSON.stringify(value)}.`);
	}
	if (!value.isWellFormed()) throw new BountyUsageError(`${name} must be well-formed Unicode.`);
	return encodeURIComponent(value);
}

function jsonBody(body: unknown): RequestBody {
	return { content: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
}

/** Reads JSON, or text of any other type. */
async function readData<Data>(response: Response, deadline: Deadline): Promise<ApiResponse<Data>> {
	const { status, headers } = response;
	const text = status === 204 || status === 304 ? null : await response.text();
	deadline.close();
	const requestId = headers.get("X-Request-Id") ?? undefined;
	if (text === null) return { status, headers, requestId, data: undefined };
	const isJson = /^application\/(.+\+)?json/.test(headers.get("Content-Type") ?? "");
	return { status, headers, requestId, data: trustDocument<Data>(isJson ? parseJson(text) : text) };
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new BountyConnectionError("The response says that it is JSON and is not.", { cause: error });
	}
}
