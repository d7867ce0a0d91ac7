/**
 * Returns the path to open after signing in, within the console or as in {@link leadsOutside}. Returns null for anything that is not a
 * path, such as a URL on another host. A fragment is not accepted: it may be an invite code, and the path is sent in a query.
 */
export function readReturnTo(value: unknown): string | null {
	return typeof value === "string" && /^\/(?!\/)[\w\-/?=&%.+*~:!$'(),@;]*$/.test(value) && value.length <= 4_000 ? value : null;
}

/** Returns true for pages of the platform outside the console: the consent page for programs, and the page for device codes. */
export function leadsOutside(path: string): boolean {
	return /^\/(?:oauth\/authorize|device)(?:\?|$)/.test(path);
}
