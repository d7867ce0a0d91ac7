// The platform sends these requests to its own endpoints, in this process. So a door such as MCP needs no second implementation of them.
import type { Actor } from "../domain/actor.ts";
import type { Deps } from "../ports/deps.ts";

interface OwnRequest {
	/** The body is a value and is not serialised, so a large one is in memory once. */
	readonly body: unknown;
	/**
	 * Finds the caller by a credential that only the door knows, and throws what `authenticate` throws. Null if the headers have the
	 * credential.
	 */
	readonly identify: ((deps: Deps) => Promise<Actor>) | null;
}

/** Only this process can add to it, so no header of a caller can claim to be the platform. */
const ownRequests = new WeakMap<Request, OwnRequest>();

/**
 * Makes a request for `PublicCtx.sendToSelf`. The door has counted the caller's request against the endpoint's rate class, so
 * the endpoint does not.
 */
export function createOwnRequest(
	url: string,
	{ method, headers, body, identify }: OwnRequest & { readonly method: string; readonly headers: Headers },
): Request {
	const request = new Request(url, { method, headers });
	ownRequests.set(request, { body, identify });
	return request;
}

/** Returns null for requests from outside. */
export function findOwnRequest(request: Request): OwnRequest | null {
	return ownRequests.get(request) ?? null;
}
