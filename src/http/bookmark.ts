import { findOwnRequest } from "./own-requests.ts";

/** Chooses where a request's reads start. Writes read from the primary, because they decide on what they read. */
export function readBookmark(request: Request): D1SessionBookmark | D1SessionConstraint {
	if (request.method !== "GET" && request.method !== "HEAD") return "first-primary";
	const bookmark = request.headers.get("X-D1-Bookmark");
	if (bookmark !== null && /^[0-9a-f]{1,32}(-[0-9a-f]{1,64}){1,4}$/.test(bookmark)) return bookmark;
	// MCP clients keep no bookmarks, and their next call must see what the last one wrote.
	return findOwnRequest(request) === null ? "first-unconstrained" : "first-primary";
}
