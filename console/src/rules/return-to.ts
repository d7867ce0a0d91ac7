/**
 * Reads the path of the console to open after signing in. Returns null for everything else, above all for other hosts. A fragment is
 * never part of it, because it may be the code of an invitation and this text is in a query.
 */
export function readReturnTo(value: unknown): string | null {
	return typeof value === "string" && /^\/(?!\/)[\w\-/?=&%.+*]*$/.test(value) && value.length <= 500 ? value : null;
}
