// The grader matches patterns with RE2, which does not run here. So when a pattern is uploaded, this scanner finds out whether RE2 lacks a
// feature that the pattern uses.

/**
 * Returns true if a pattern contains a look-around or a back-reference, which RE2 lacks. Only the grader finds other faults. The scan never
 * goes back, so its time is linear in the pattern's length.
 */
export function isBeyondRe2(pattern: string): boolean {
	let at = 0;
	while (at < pattern.length) {
		switch (pattern.charAt(at)) {
			case "\\":
				if (isReference(pattern.charAt(at + 1))) return true;
				at = pattern.charAt(at + 1) === "Q" ? endOfQuote(pattern, at + 2) : at + 2;
				break;
			case "[":
				at = endOfClass(pattern, at + 1);
				break;
			case "(":
				if (isLookAround(pattern, at + 1) || pattern.startsWith("?P=", at + 1)) return true;
				at += 1;
				break;
			default:
				at += 1;
		}
	}
	return false;
}

/** Returns true if `\` followed by this character is a back-reference: to a number, or with `k` to a name. */
function isReference(character: string): boolean {
	return (character >= "1" && character <= "9") || character === "k";
}

/** Returns true if `?=`, `?!`, `?<=` or `?<!` is at this index. */
function isLookAround(pattern: string, start: number): boolean {
	if (pattern.charAt(start) !== "?") return false;
	const kind = pattern.charAt(pattern.charAt(start + 1) === "<" ? start + 2 : start + 1);
	return kind === "=" || kind === "!";
}

/** Returns the index after the `\E` that ends quoted text, or the length of the pattern if there is none. */
function endOfQuote(pattern: string, start: number): number {
	for (let at = start; at < pattern.length; at += 1) {
		if (pattern.charAt(at) === "\\" && pattern.charAt(at + 1) === "E") return at + 2;
	}
	return pattern.length;
}

/** Returns the index after the `]` that ends a character class. A `]` at the start of the class is an ordinary character. */
function endOfClass(pattern: string, start: number): number {
	let at = pattern.charAt(start) === "^" ? start + 1 : start;
	if (pattern.charAt(at) === "]") at += 1;
	while (at < pattern.length && pattern.charAt(at) !== "]") at += pattern.charAt(at) === "\\" ? 2 : 1;
	return at + 1;
}
