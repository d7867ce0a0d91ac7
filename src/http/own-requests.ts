// Requests that the platform sends to its own endpoints, in this process: a door such as MCP stands for an endpoint this way.

import type { Actor } from "../domain/actor.ts";
import type { Deps } from "../ports/deps.ts";

interface OwnRequest {
	/** The body as values. Nothing is serialised, so a large body is held once. */
	readonly body: unknown;
	/**
	 * Who is calling, where the door has a credential of its own for that. Checks the credential each time, and throws what
	 * `authenticate` throws. Null where the headers say it.
	 */
	readonly identify: ((deps: Deps) => Promise<Actor>) | null;
}

interface OwnRequestParts extends OwnRequest {
	readonly method: string;
	readonly headers: Headers;
}

/** Only this process can add to it, so no header of a caller can claim to be the platform. */
const ownRequests = new WeakMap<Request, OwnRequest>();

/**
 * Makes a request for `PublicCtx.sendToSelf`. The door has counted the caller's request against the endpoint's rate class, so
 * the endpoint does not.
 */
export function createOwnRequest(url: string, { method, headers, body, identify }: OwnRequestParts): Request {
	const request = new Request(url, { method, headers });
	ownRequests.set(request, { body, identify });
	return request;
}

/** Null for requests from outside. */
export function findOwnRequest(request: Request): OwnRequest | null {
	return ownRequests.get(request) ?? null;
}
