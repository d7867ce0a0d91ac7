/** Parses typed tags, separated by commas. Trims them, lowercases them and removes duplicates. A tag may contain spaces. */
export function parseTags(text: string): string[] {
	const tags = text.split(",").map((tag) => tag.trim().toLowerCase());
	return [...new Set(tags.filter((tag) => tag !== ""))];
}

const MAX_TAG_LENGTH = 64;

/**
 * Parses the category that a link asks the reader to follow. The router parses digits as numbers. Returns null for anything that is not a
 * tag.
 */
export function readTag(value: unknown): string | null {
	const tag = String(typeof value === "string" || typeof value === "number" ? value : "")
		.trim()
		.toLowerCase();
	return tag === "" || tag.includes(",") || [...tag].length > MAX_TAG_LENGTH ? null : tag;
}
