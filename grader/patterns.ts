// Matches the patterns of a test suite with RE2, which does not backtrack, so no output can make a pattern explode.
import { RE2JS } from "re2js";

export function matchesPattern(pattern: string, text: string): boolean {
	return RE2JS.compile(pattern, RE2JS.MULTILINE).matcher(text).find();
}

/** Returns the reason why RE2 rejects a pattern, or null. */
export function findPatternFault(pattern: string): string | null {
	try {
		RE2JS.compile(pattern, RE2JS.MULTILINE);
		return null;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
