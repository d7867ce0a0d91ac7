// Makes text from strangers safe to read: characters that reorder or hide others become visible.

/** Control characters, zero-width characters, and those that reverse the direction of text. */
const HIDDEN = /[\p{Cc}\p{Cf}]/gu;
/** White space is allowed, and so are the joiners that some languages and emoji need. */
const KEPT: ReadonlySet<string> = new Set(["\t", "\n", "\r", "\u200c", "\u200d"]);

/** Writes each invisible or reordering character as its code point, such as `⟨U+202E⟩`. */
export function showHidden(text: string): string {
	return text.replace(HIDDEN, (character) => {
		if (KEPT.has(character)) return character;
		return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
	});
}

/** Returns the last part of a path, as the name of a saved file. */
export function nameOfPath(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1);
}
