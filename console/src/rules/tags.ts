/** Reads tags that a person typed, separated by commas. They are trimmed, in lower case, each once. A tag may have spaces. */
export function parseTags(text: string): string[] {
	const tags = text.split(",").map((tag) => tag.trim().toLowerCase());
	return [...new Set(tags.filter((tag) => tag !== ""))];
}
