// Entity tags of requests and responses (RFC 9110, 8.8.3 and 13.1).

/** The value of `If-Match` or `If-None-Match`: any entity tag, or a list, without quotes. */
export type EntityTags = "*" | readonly string[];

/**
 * Parses a list of entity tags. Returns null for anything else. Proxies that compress responses mark tags as weak (`W/`).
 * Our tags identify exactly one version with or without the mark, so it is dropped.
 */
export function parseEntityTags(header: string): EntityTags | null {
	const text = header.trim();
	if (text === "*") return "*";
	if (!/^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/.test(text)) return null;
	return [...text.matchAll(/"([^"]*)"/g)].map(([, tag]) => tag ?? "");
}

/** Returns true if tags name the current version. `current` is null if there is none. */
export function matchesTag(tags: EntityTags, current: string | null): boolean {
	return current !== null && (tags === "*" || tags.includes(current));
}

/** Formats an entity tag for a header. */
export function quoteTag(tag: string): string {
	return `"${tag}"`;
}
