// Calls the API through the SDK. The browser adds the session cookie, and this client adds the CSRF token.
import { noteFailure, noteResponse } from "./connection.ts";
import { forgetSession, getSessionFacts } from "./credentials.ts";
import { BountyApiError, Core, Methods, type Paged } from "./sdk.ts";

export type { Schemas } from "./sdk.ts";

/** After this many retries, the page shows the error. */
export const MAX_RETRIES = 2;

/** Returns the header that proves that a change comes from a page of the platform. */
export function credentialHeaders(method: string | undefined): Record<string, string> {
	const session = getSessionFacts();
	return session !== null && method !== "GET" ? { "X-CSRF-Token": session.csrfToken } : {};
}

let whenSignedOut = (): void => undefined;

/** Sets what to do when the platform no longer knows the session. */
export function onSignedOut(act: () => void): void {
	whenSignedOut = act;
}

/** Records what a response says about the connection and the session. */
function watch(response: Response, init: RequestInit): Response {
	noteResponse(response);
	if (response.status === 401 && getSessionFacts() !== null && !new Headers(init.headers).has("Authorization")) {
		forgetSession();
		whenSignedOut();
	}
	return response;
}

/** Adds headers that the request does not have yet. */
export function withHeaders(init: RequestInit | undefined, added: Readonly<Record<string, string>>): RequestInit {
	const headers = new Headers(init?.headers);
	for (const [name, value] of Object.entries(added)) if (!headers.has(name)) headers.set(name, value);
	return { ...init, headers };
}

/** The transport of {@link api}. Call it directly if you need the headers of the response. */
export const core = new Core({
	baseUrl: location.origin,
	maxRetries: MAX_RETRIES,
	fetch: async (url, init) => {
		const request = withHeaders(init, credentialHeaders(init?.method));
		try {
			return watch(await fetch(url, request), request);
		} catch (error) {
			noteFailure(error);
			throw error;
		}
	},
});

export const api = new Methods(core);

/** Returns one page of a list as the platform sent it: the page at the cursor, or the first one if the cursor is missing or empty. */
export async function readPage<Whole>(list: Paged<Whole>, cursor?: string): Promise<Whole> {
	return (await list.page(cursor === "" ? undefined : cursor)).response;
}

/** Returns true if the platform responded with this status. */
export function hasStatus(error: unknown, status: number): error is BountyApiError {
	return error instanceof BountyApiError && error.status === status;
}
