/** Reads the path of the console to open after signing in. Returns null for everything else, above all for other hosts. */
export function readReturnTo(value: unknown): string | null {
	return typeof value === "string" && /^\/(?!\/)[\w\-/?=&%.+*]*(?:#[\w-]*)?$/.test(value) && value.length <= 500 ? value : null;
}
