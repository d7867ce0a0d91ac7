// Requests that the platform sends to its own endpoints, in this process, so that entry points such as MCP need no second implementation.

interface OwnRequest {
	/** The body as a value. It is not serialized, so that a large one is in memory only once. */
	readonly body: unknown;
}

/** Only code in this process can add requests here, so no caller can pretend to be the platform by sending a header. */
const ownRequests = new WeakMap<Request, OwnRequest>();

/**
 * Creates a request for `PublicCtx.sendToSelf`. The endpoint does not count it against its rate class, because the entry point has already
 * counted the caller's request.
 */
export function createOwnRequest(
	url: string,
	{ method, headers, body }: OwnRequest & { readonly method: string; readonly headers: Headers },
): Request {
	const request = new Request(url, { method, headers });
	ownRequests.set(request, { body });
	return request;
}

/** Returns what {@link createOwnRequest} stored for a request. Returns null for requests from outside. */
export function findOwnRequest(request: Request): OwnRequest | null {
	return ownRequests.get(request) ?? null;
}
