import { BountyUsageError } from "./errors.ts";

/** The SDK calls `fetch` only with a URL and an object. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface ClientOptions {
	/** The platform's URL, such as `https://bounties.example`. Plain http is accepted for loopback only. */
	readonly baseUrl: string;
	/** An API key, `svc_sk_...`. Public endpoints and registering need none. */
	readonly apiKey?: string | undefined;
	/** The admin token, `svc_admin_...`. Only operations below `/api/admin` send it. */
	readonly adminToken?: string | undefined;
	/** For a signed-in browser on the platform's own origin, instead of `apiKey`: the `csrf_token` of `client.getSession()`. */
	readonly csrfToken?: string | undefined;
	/** Replaces the global `fetch`. */
	readonly fetch?: Fetch | undefined;
	/** The time limit of one attempt in milliseconds, 30,000 by default. Uploads get more time, depending on their size. */
	readonly timeoutMs?: number | undefined;
	/** The number of attempts after the first one, for requests that are safe to repeat: 4 by default. */
	readonly maxRetries?: number | undefined;
	/** Called before each pause between attempts, such as a minute after 429. */
	readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
	/** Called after each successful response, with the id that names the request in the platform's log. */
	readonly onResponse?: ((notice: ResponseNotice) => void) | undefined;
	/** The client sends this as `User-Agent` if the runtime allows it. */
	readonly userAgent?: string | undefined;
}

/** A request that is about to be sent again. */
export interface RetryNotice {
	readonly method: string;
	/** The path has no query, because that may contain a signature. */
	readonly path: string;
	/** The number of the attempt that has failed, from 1. */
	readonly attempt: number;
	/** The pause until the next attempt, in milliseconds. */
	readonly delayMs: number;
	readonly error: unknown;
}

/** A request that has succeeded. */
export interface ResponseNotice {
	readonly method: string;
	/** The path has no query, because that may contain a signature. */
	readonly path: string;
	readonly status: number;
	/** Undefined if something in between removed the header. */
	readonly requestId: string | undefined;
}

/** Binary content. */
export type Bytes = Uint8Array | ArrayBuffer | Blob;

export interface CallOptions {
	/** A credential for this call instead of the client's own: an operator token, or a key that is being tried. */
	readonly token?: string | undefined;
	/** Replaces the client's `fetch`, for example by one that reports the progress of an upload in a browser. */
	readonly fetch?: Fetch | undefined;
	/** Cancels the call, which then throws the signal's reason. */
	readonly signal?: AbortSignal | undefined;
	/** The limit of one attempt in milliseconds. */
	readonly timeoutMs?: number | undefined;
	readonly maxRetries?: number | undefined;
}

export interface UploadProgress {
	readonly sentBytes: number;
	readonly totalBytes: number;
}

export interface UploadOptions extends CallOptions {
	/**
	 * Called with the number of bytes that were passed to the network.
	 * Node reports each piece; other runtimes report the beginning and the end. The count starts again when an attempt is repeated.
	 */
	readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the base URL without a slash at its end.
 *
 * @throws BountyUsageError for a URL that would send the API key unencrypted, or that is not a base URL.
 */
export function parseBaseUrl(text: string): string {
	const url = assertSafeUrl(text, "baseUrl");
	if (url.search !== "" || url.hash !== "") throw new BountyUsageError("baseUrl must not have a query or a fragment.");
	return url.origin + url.pathname.replace(/\/+$/, "");
}

/**
 * Parses the URL of a request.
 *
 * @throws BountyUsageError unless it is https, or http on loopback.
 */
export function assertSafeUrl(text: string, name: string): URL {
	let url: URL;
	try {
		url = new URL(text);
	} catch {
		throw new BountyUsageError(`${name} must be an absolute URL, such as https://bounties.example.`);
	}
	if (url.username !== "" || url.password !== "") throw new BountyUsageError(`${name} must not contain a user name or password.`);
	if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) return url;
	throw new BountyUsageError(`${name} must be an https URL. Plain http is accepted for loopback only.`);
}

/** @param host In the form of the URL parser: IPv6 is in brackets. */
export function isLoopback(host: string): boolean {
	return LOOPBACK.test(host);
}

/** @throws BountyUsageError for a key or token that a header cannot carry. */
export function assertCredential(credential: string, name: "apiKey" | "adminToken" | "token"): string {
	if (/^[\x21-\x7e]+$/.test(credential)) return credential;
	throw new BountyUsageError(`${name} must be printable ASCII without spaces. Check for a line break at its end.`);
}

/** @throws BountyUsageError unless it is a whole number of at least `least`. */
export function assertWhole(value: number, { name, least }: { name: string; least: number }): number {
	if (Number.isSafeInteger(value) && value >= least) return value;
	throw new BountyUsageError(`${name} must be a whole number of at least ${least}.`);
}
