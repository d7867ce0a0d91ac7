// The SDK's fetch adds time limits, retries and errors. It knows nothing about operations.
import { VERSION } from "../../../../src/domain/version.ts";
import { Deadline, sleep } from "./deadline.ts";
import { BountyConnectionError, readApiError } from "./errors.ts";
import { assertSafeUrl, assertWhole, type CallOptions, type ClientOptions, type Fetch } from "./options.ts";
import { retryDelayMs } from "./retry.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
/** The additional time for an upload, per byte: 32 KB a second. */
const UPLOAD_MS_PER_BYTE = 1 / 32;
const DEFAULT_MAX_RETRIES = 4;
/** The longest pause between two pieces of a response. Streams send a comment every 20 s. */
const IDLE_MS = 60_000;
const REPEATABLE_METHODS = new Set(["GET", "PUT", "DELETE"]);
const CONDITIONS = ["if-match", "if-none-match"];
const DEFAULT_USER_AGENT = `bounty-platform-sdk/${VERSION}`;
/** A response with one of these statuses must not have a body, not even an empty one. */
const STATUSES_WITHOUT_BODY = new Set([204, 304]);

export interface Outgoing extends Omit<CallOptions, "token"> {
	readonly method: string;
	readonly url: string;
	readonly headers: Headers;
	/** Makes the body for each attempt, because a stream can be sent only once. */
	readonly body?: (() => BodyInit) | undefined;
	/** The size of the body, which extends the time limit. */
	readonly bodyBytes?: number | undefined;
	/** True if repeating has no further effect. The default follows from the method, `Idempotency-Key` and conditions. */
	readonly isRepeatable?: boolean | undefined;
	/** If true, returns the response before its body has arrived. `firstMs` limits the wait for the first piece. */
	readonly isOpen?: boolean | undefined;
	readonly firstMs?: number | undefined;
}

/**
 * Reads a response. `what` names its request in errors, such as `GET /health`. If this throws a BountyConnectionError, the request is sent
 * again, if it is safe to repeat.
 */
export type Take<Taken> = (response: Response, what: string) => Taken | Promise<Taken>;

/** Sends requests until they succeed or must not be repeated. */
export class Transport {
	readonly #timeoutMs: number;
	readonly #maxRetries: number;
	readonly #fetch: Fetch;
	readonly #userAgent: string | undefined;
	readonly #onRetry: ClientOptions["onRetry"];
	readonly #onResponse: ClientOptions["onResponse"];

	constructor({ fetch: ownFetch, timeoutMs, maxRetries, userAgent, onRetry, onResponse }: ClientOptions) {
		this.#onResponse = onResponse;
		this.#onRetry = onRetry;
		this.#timeoutMs = assertWhole(timeoutMs ?? DEFAULT_TIMEOUT_MS, { name: "timeoutMs", least: 1 });
		this.#maxRetries = assertWhole(maxRetries ?? DEFAULT_MAX_RETRIES, { name: "maxRetries", least: 0 });
		// `fetch` is looked up for each call and called as a plain function, because Workers reject another `this`.
		this.#fetch = ownFetch ?? ((url, init) => globalThis.fetch(url, init));
		this.#userAgent = canNameItself() ? (userAgent ?? DEFAULT_USER_AGENT) : undefined;
	}

	/**
	 * Sends a request and returns what `take` makes of a response with status 2xx or 304. Its whole body has arrived, unless `isOpen` is
	 * set. Taking is part of the attempt, so that a response that cannot be read is requested again.
	 *
	 * @throws BountyApiError, BountyTimeoutError, BountyConnectionError, BountyUsageError, or the reason of `signal`.
	 */
	async send<Taken>(request: Outgoing, take: Take<Taken>): Promise<Taken> {
		assertSafeUrl(request.url, "The URL");
		const isRepeatable = request.isRepeatable ?? canRepeat(request);
		const maxRetries = assertWhole(request.maxRetries ?? this.#maxRetries, { name: "maxRetries", least: 0 });
		for (let attempt = 0; ; attempt += 1) {
			try {
				const { response, taken } = await this.#attempt(request, take);
				const requestId = response.headers.get("X-Request-Id") ?? undefined;
				this.#onResponse?.({ method: request.method, path: new URL(request.url).pathname, status: response.status, requestId });
				return taken;
			} catch (error) {
				const waitMs = attempt < maxRetries ? retryDelayMs(error, { attempt, isRepeatable }) : null;
				if (waitMs === null) throw error;
				const { method, url } = request;
				this.#onRetry?.({ method, path: new URL(url).pathname, attempt: attempt + 1, delayMs: waitMs, error });
				await sleep(waitMs, request.signal);
			}
		}
	}

	async #attempt<Taken>(request: Outgoing, take: Take<Taken>): Promise<{ readonly response: Response; readonly taken: Taken }> {
		const { method, url, headers, body, bodyBytes = 0, signal, timeoutMs, isOpen, firstMs, fetch: ownFetch } = request;
		const what = `${method} ${new URL(url).pathname}`;
		const limitMs = timeoutMs ?? Math.ceil(this.#timeoutMs + bodyBytes * UPLOAD_MS_PER_BYTE);
		const deadline = new Deadline({ timeoutMs: assertWhole(limitMs, { name: "timeoutMs", least: 1 }), signal, what });
		if (this.#userAgent !== undefined) headers.set("User-Agent", this.#userAgent);
		try {
			const content = body?.();
			const init: RequestInit & { duplex?: "half" } = {
				method,
				// The headers are a plain object, because a caller's `fetch` may add headers by spreading.
				headers: Object.fromEntries(headers),
				signal: deadline.signal,
				// Following a redirect would lose the method, or send the key to another host.
				redirect: "manual",
				...(content === undefined ? {} : { body: content }),
				...(content instanceof ReadableStream ? { duplex: "half" } : {}),
			};
			const response = await (ownFetch ?? this.#fetch)(url, init);
			if (!response.ok && response.status !== 304) throw await failureOf(response, method);
			if (isOpen === true) return { response, taken: await take(watchBody(response, deadline, firstMs ?? IDLE_MS), what) };
			const arrived = STATUSES_WITHOUT_BODY.has(response.status) ? null : await response.arrayBuffer();
			deadline.close();
			return { response, taken: await take(new Response(arrived, response), what) };
		} catch (error) {
			const explained = deadline.explain(error);
			deadline.close();
			throw explained;
		}
	}
}

/**
 * Returns true for a request that may be repeated. A conditional write that succeeded changes its own condition, so repeating it would
 * report a failure.
 */
function canRepeat({ method, headers }: Outgoing): boolean {
	if (headers.has("Idempotency-Key")) return true;
	return REPEATABLE_METHODS.has(method) && (method === "GET" || !CONDITIONS.some((name) => headers.has(name)));
}

/** Returns the response with a body that fails if a piece takes too long, and that closes the connection when its reader stops. */
function watchBody(response: Response, deadline: Deadline, firstMs: number): Response {
	if (response.body === null) {
		deadline.close();
		return response;
	}
	const reader = response.body.getReader();
	let limitMs = firstMs;
	deadline.pause();
	const watched = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				deadline.restart(limitMs);
				try {
					const piece = await reader.read();
					// The time between two reads does not count.
					deadline.pause();
					limitMs = IDLE_MS;
					if (!piece.done) return controller.enqueue(piece.value);
					deadline.close();
					controller.close();
				} catch (error) {
					const explained = deadline.explain(error);
					deadline.close();
					controller.error(explained);
				}
			},
			cancel: () => deadline.close(),
		},
		{ highWaterMark: 0 },
	);
	return new Response(watched, response);
}

async function failureOf(response: Response, method: string): Promise<Error> {
	// A browser reports a redirect with the status 0.
	const isRedirect = response.status === 0 || (response.status >= 300 && response.status < 400);
	if (!isRedirect) return readApiError(response, method);
	const target = response.headers.get("Location");
	return new BountyConnectionError(
		`The server redirects ${target === null ? "elsewhere" : `to ${target}`}. Set baseUrl to where the platform is.`,
	);
}

/** Returns true if requests can name the SDK. Browsers set `User-Agent` themselves, and would send a preflight for another one. */
function canNameItself(): boolean {
	return !("document" in globalThis) && !("importScripts" in globalThis);
}
