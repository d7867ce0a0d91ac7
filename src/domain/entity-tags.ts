// Entity tags of requests and responses (RFC 9110, 8.8.3 and 13.1).

/** The value of `If-Match` or `If-None-Match`: `*` for any entity tag, or a list of tags without their quotes. */
export type EntityTags = "*" | readonly string[];

/**
 * Parses `*` or a list of entity tags. Returns null for anything else. Proxies that compress responses mark tags as weak (`W/`). This
 * function drops the mark, because a tag of this platform identifies the same version without it.
 */
export function parseEntityTags(header: string): EntityTags | null {
	const text = header.trim();
	if (text === "*") return "*";
	if (!/^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/.test(text)) return null;
	return [...text.matchAll(/"([^"]*)"/g)].map(([, tag]) => tag ?? "");
}

/** Returns true if the tags include `current`, the tag of the current version, or are `*`. `current` is null if there is no version. */
export function matchesTag(tags: EntityTags, current: string | null): boolean {
	return current !== null && (tags === "*" || tags.includes(current));
}

export function quoteTag(tag: string): string {
	return `"${tag}"`;
}
