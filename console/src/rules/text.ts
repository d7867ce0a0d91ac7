// Makes text of strangers safe to look at: what reorders or hides characters becomes visible.

/** These are control characters, zero-width characters, and those that reverse the direction of text. */
const HIDDEN = /[\p{Cc}\p{Cf}]/gu;
/** White space is allowed, and so are the joiners without which some languages and emoji fall apart. */
const KEPT: ReadonlySet<string> = new Set(["\t", "\n", "\r", "\u200c", "\u200d"]);

/** Writes each invisible or reordering character as its code point, such as `⟨U+202E⟩`. */
export function showHidden(text: string): string {
	return text.replace(HIDDEN, (character) => {
		if (KEPT.has(character)) return character;
		return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
	});
}

/** Returns the last part of a path, to save a file as. */
export function nameOfPath(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1);
}
