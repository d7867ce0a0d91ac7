/**
 * Reads tags that a person typed, separated by commas. It trims them, makes them lower case, and removes duplicates. A tag may have
 * spaces.
 */
export function parseTags(text: string): string[] {
	const tags = text.split(",").map((tag) => tag.trim().toLowerCase());
	return [...new Set(tags.filter((tag) => tag !== ""))];
}

const MAX_TAG_LENGTH = 64;

/**
 * Reads the category that a link asks the reader to follow. The router turns digits in a path into numbers. Returns null for anything
 * that is not a tag.
 */
export function readTag(value: unknown): string | null {
	const tag = String(typeof value === "string" || typeof value === "number" ? value : "")
		.trim()
		.toLowerCase();
	return tag === "" || tag.includes(",") || [...tag].length > MAX_TAG_LENGTH ? null : tag;
}
