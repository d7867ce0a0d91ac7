// The client of the public API. Its types are generated from docs/openapi.json by scripts/site/console.ts.

import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "#openapi";
import { getCredentials } from "./credentials.ts";
import { ApiError, toApiError, unreachable } from "./error.ts";

export type Schemas = components["schemas"];

const BOOKMARK = "X-D1-Bookmark";
const CSRF = "X-CSRF-Token";

/** The newest change that this tab has seen. Reads send it, so that they show at least that change. */
let bookmark: string | null = null;

/** Headers of every request: who asks, and what it has seen already. */
export function requestHeaders(isRead: boolean): Record<string, string> {
	const credentials = getCredentials();
	return {
		...(credentials.kind === "key" ? { Authorization: `Bearer ${credentials.key}` } : {}),
		...(credentials.kind === "session" && !isRead ? { [CSRF]: credentials.csrfToken } : {}),
		...(isRead && bookmark !== null ? { [BOOKMARK]: bookmark } : {}),
	};
}

export const commonHeaders: Middleware = {
	onRequest({ request }) {
		// A key that is being tried goes before the tab's own.
		for (const [name, value] of Object.entries(requestHeaders(request.method === "GET"))) {
			if (!request.headers.has(name)) request.headers.set(name, value);
		}
		return request;
	},
	onResponse({ response }) {
		bookmark = response.headers.get(BOOKMARK) ?? bookmark;
		return undefined;
	},
	onError({ error }) {
		return error instanceof DOMException && error.name === "AbortError" ? error : unreachable();
	},
};

export const api = createClient<paths>({ baseUrl: location.origin });
api.use(commonHeaders);

interface Result<Data> {
	readonly data?: Data;
	readonly error?: unknown;
	readonly response: Response;
}

/**
 * The data of a response: `await unwrap(api.GET(…))`.
 *
 * @throws ApiError for every response that is not 2xx, and without a response.
 */
export async function unwrap<Data>(request: Promise<Result<Data>>): Promise<Data> {
	const { data, error, response } = await request;
	if (!response.ok) throw toApiError(response, error);
	if (data === undefined) throw new ApiError({ ...unreachable().facts, message: "The platform sent an empty response.", code: "EMPTY" });
	return data;
}
