// The platform sends these requests to its own endpoints, in this process, so that an entry point such as MCP does not need a second implementation.

interface OwnRequest {
	/** The body is a value and is not serialised, so a large one is in memory once. */
	readonly body: unknown;
}

/** Only this process can add to it, so no header of a caller can claim to be the platform. */
const ownRequests = new WeakMap<Request, OwnRequest>();

/**
 * Makes a request for `PublicCtx.sendToSelf`. The door has counted the caller's request against the endpoint's rate class, so
 * the endpoint does not.
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
