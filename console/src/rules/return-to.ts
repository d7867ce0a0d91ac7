/**
 * Reads the path of the console to open after signing in. Returns null for everything else, above all for other hosts. A fragment is
 * never part of it, because it may be the code of an invitation and this text is in a query.
 */
export function readReturnTo(value: unknown): string | null {
	return typeof value === "string" && /^\/(?!\/)[\w\-/?=&%.+*~:!$'(),@;]*$/.test(value) && value.length <= 4_000 ? value : null;
}

/** Returns true for a page of the platform that is not the console's: the consent to a program, and the code of a device. */
export function leadsOutside(path: string): boolean {
	return /^\/(?:oauth\/authorize|device)(?:\?|$)/.test(path);
}
