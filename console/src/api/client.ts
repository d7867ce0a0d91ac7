// The client of this tab: the SDK, with the tab's credentials on every request.
import { getCredentials } from "./credentials.ts";
import { BountyApiError, Core, Methods, type Paged } from "./sdk.ts";

export type { Schemas } from "./sdk.ts";

/** A page shows an error instead of waiting for more repetitions. */
export const MAX_RETRIES = 2;

/** The headers that say who this tab is. */
export function credentialHeaders(method: string | undefined): Record<string, string> {
	const credentials = getCredentials();
	if (credentials.kind === "key") return { Authorization: `Bearer ${credentials.key}` };
	return credentials.kind === "session" && method !== "GET" ? { "X-CSRF-Token": credentials.csrfToken } : {};
}

/** Adds headers that a request does not have. */
export function withHeaders(init: RequestInit | undefined, added: Readonly<Record<string, string>>): RequestInit {
	const headers = new Headers(init?.headers);
	for (const [name, value] of Object.entries(added)) if (!headers.has(name)) headers.set(name, value);
	return { ...init, headers };
}

/** It also sends requests whose response headers matter. */
export const core = new Core({
	baseUrl: location.origin,
	maxRetries: MAX_RETRIES,
	// A key that is being tried goes before the tab's own.
	fetch: (url, init) => fetch(url, withHeaders(init, credentialHeaders(init?.method))),
});

export const api = new Methods(core);

/** One page of a list as the platform sent it: the first, or the one of a cursor. */
export async function readPage<Whole>(list: Paged<Whole>, cursor?: string): Promise<Whole> {
	return (await list.page(cursor === "" ? undefined : cursor)).response;
}

/** True for an error with this status that the platform sent. */
export function hasStatus(error: unknown, status: number): error is BountyApiError {
	return error instanceof BountyApiError && error.status === status;
}
