// Entity tags of requests and responses (RFC 9110, 8.8.3 and 13.1).

/** `If-Match` and `If-None-Match` name any or some entity tags. They are here without their quotes. */
export type EntityTags = "*" | readonly string[];

/**
 * Reads a list of entity tags, or returns null if it is not one. A proxy that compresses responses marks their tags as weak (`W/`), and
 * a tag names one version exactly in either form, so the mark is dropped.
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

/** Writes an entity tag as a header contains it. */
export function quoteTag(tag: string): string {
	return `"${tag}"`;
}
