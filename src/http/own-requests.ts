// Requests that the platform sends to its own endpoints, in this process, so that an entry point such as MCP does not need a second
// implementation.

interface OwnRequest {
	/** The body as a value. It is not serialised, so that a large one is in memory only once. */
	readonly body: unknown;
}

/** Only this process can add to it, so a caller cannot claim to be the platform by a header. */
const ownRequests = new WeakMap<Request, OwnRequest>();

/**
 * Creates a request for `PublicCtx.sendToSelf`. The entry point has already counted the caller's request against the endpoint's rate class,
 * so the endpoint does not.
 */
export function createOwnRequest(
	url: string,
	{ method, headers, body }: OwnRequest & { readonly method: string; readonly headers: Headers },
): Request {
	const request = new Request(url, { method, headers });
	ownRequests.set(request, { body });
	return request;
}

/** Returns null for requests from outside. */
export function findOwnRequest(request: Request): OwnRequest | null {
	return ownRequests.get(request) ?? null;
}
