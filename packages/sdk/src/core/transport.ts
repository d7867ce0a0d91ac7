import { Deadline, sleep } from "./deadline.ts";
import { BountyConnectionError, readApiError } from "./errors.ts";
import { assertCredential, assertSafeUrl, assertWhole, type CallOptions, type ClientOptions, type Fetch, parseBaseUrl } from "./options.ts";
import { retryDelayMs } from "./retry.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
/** An upload may take this long for each byte beyond the usual time: 32 KB a second. */
const UPLOAD_MS_PER_BYTE = 1 / 32;
const DEFAULT_MAX_RETRIES = 4;
const REPEATABLE_METHODS = new Set(["GET", "PUT", "DELETE"]);
const CONDITIONS = ["If-Match", "If-None-Match"];
const DEFAULT_USER_AGENT = "bounty-platform-sdk";

export interface Outgoing extends CallOptions {
	readonly method: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Makes the body of each attempt, because a stream can be sent once only. */
	readonly body?: (() => RequestBody) | undefined;
	/** Whether repeating has no further effect. Default: by the method, `Idempotency-Key` and conditions. */
	readonly isRepeatable?: boolean | undefined;
}

export interface RequestBody {
	readonly content: string | Uint8Array<ArrayBuffer> | Blob | FormData | ReadableStream<Uint8Array>;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Reads a successful response. It runs within the attempt's time limit, and is repeated with the request. */
export type Reader<Result> = (response: Response, deadline: Deadline) => Promise<Result>;

type Credentials = Pick<ClientOptions, "apiKey" | "adminToken" | "csrfToken">;

/** Sends requests: time limits, cancelling, retries, errors. Knows nothing of endpoints. */
export class Transport {
	readonly baseUrl: string;
	readonly #timeoutMs: number;
	readonly #credentials: Credentials;
	readonly #maxRetries: number;
	readonly #fetch: Fetch;
	readonly #userAgent: string | undefined;

	constructor({ baseUrl, apiKey, adminToken, csrfToken, fetch: ownFetch, timeoutMs, maxRetries, userAgent }: ClientOptions) {
		this.baseUrl = parseBaseUrl(baseUrl);
		this.#credentials = {
			apiKey: apiKey === undefined ? undefined : assertCredential(apiKey, "apiKey"),
			adminToken: adminToken === undefined ? undefined : assertCredential(adminToken, "adminToken"),
			csrfToken,
		};
		this.#timeoutMs = assertWhole(timeoutMs ?? DEFAULT_TIMEOUT_MS, { name: "timeoutMs", least: 1 });
		this.#maxRetries = assertWhole(maxRetries ?? DEFAULT_MAX_RETRIES, { name: "maxRetries", least: 0 });
		// Looked up at each call, and called as a plain function: Workers reject a `fetch` with another `this`.
		this.#fetch = ownFetch ?? ((url, init) => globalThis.fetch(url, init));
		this.#userAgent = canNameItself() ? (userAgent ?? DEFAULT_USER_AGENT) : undefined;
	}

	/** Behind a private field, so that a client that is printed does not show them. */
	get credentials(): Credentials {
		return this.#credentials;
	}

	/**
	 * Sends a request until it succeeds or must not be repeated.
	 *
	 * @throws BountyApiError, BountyTimeoutError, BountyConnectionError, BountyUsageError, or the reason of `signal`.
	 */
	async send<Result>(request: Outgoing, read: Reader<Result>): Promise<Result> {
		assertSafeUrl(request.url, "The URL");
		const isRepeatable = request.isRepeatable ?? canRepeat(request);
		const maxRetries = assertWhole(request.maxRetries ?? this.#maxRetries, { name: "maxRetries", least: 0 });
		for (let attempt = 0; ; attempt += 1) {
			try {
				return await this.#attempt(request, read);
			} catch (error) {
				const waitMs = attempt < maxRetries ? retryDelayMs(error, { attempt, isRepeatable }) : null;
				if (waitMs === null) throw error;
				await sleep(waitMs, request.signal);
			}
		}
	}

	async #attempt<Result>({ method, url, headers, body, signal, timeoutMs }: Outgoing, read: Reader<Result>): Promise<Result> {
		const what = `${method} ${new URL(url).pathname}`;
		const sent = body?.();
		const limitMs = timeoutMs ?? Math.ceil(this.#timeoutMs + sizeOf(sent) * UPLOAD_MS_PER_BYTE);
		const deadline = new Deadline({ timeoutMs: assertWhole(limitMs, { name: "timeoutMs", least: 1 }), signal, what });
		try {
			const init: RequestInit & { duplex?: "half" } = {
				method,
				headers: { ...headers, ...sent?.headers, ...(this.#userAgent === undefined ? {} : { "User-Agent": this.#userAgent }) },
				signal: deadline.signal,
				// A redirect would be followed without its method, or with the key to another host.
				redirect: "manual",
				...(sent === undefined ? {} : { body: sent.content }),
				...(sent?.content instanceof ReadableStream ? { duplex: "half" } : {}),
			};
			const response = await this.#fetch(url, init);
			if (!isSuccess(response)) throw await failureOf(response, method);
			return await read(response, deadline);
		} catch (error) {
			deadline.close();
			throw deadline.explain(error);
		}
	}
}

/** A conditional write that succeeded changes its own condition, so repeating it would report a failure. */
function canRepeat({ method, headers }: Outgoing): boolean {
	if ("Idempotency-Key" in headers) return true;
	return REPEATABLE_METHODS.has(method) && (method === "GET" || !CONDITIONS.some((name) => name in headers));
}

/** The size of a body in bytes. For text it is an estimate. */
function sizeOf(body: RequestBody | undefined): number {
	if (body === undefined) return 0;
	const { content, headers } = body;
	if (typeof content === "string") return content.length;
	if (content instanceof Blob) return content.size;
	if (content instanceof ReadableStream) return Number(headers?.["Content-Length"] ?? 0);
	if (content instanceof Uint8Array) return content.length;
	return [...content.values()].reduce((sum, part) => sum + (typeof part === "string" ? part.length : part.size), 0);
}

function isSuccess({ ok, status }: Response): boolean {
	return ok || status === 304;
}

async function failureOf(response: Response, method: string): Promise<Error> {
	// A browser shows a redirect with the status 0.
	const isRedirect = response.status === 0 || (response.status >= 300 && response.status < 400);
	if (!isRedirect) return readApiError(response, method);
	const target = response.headers.get("Location");
	return new BountyConnectionError(
		`The server redirects ${target === null ? "elsewhere" : `to ${target}`}. Set baseUrl to where the platform is.`,
	);
}

/** Browsers set `User-Agent` themselves, and would send a preflight for it. */
function canNameItself(): boolean {
	return !("document" in globalThis) && !("importScripts" in globalThis);
}
