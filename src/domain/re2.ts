// Patterns of test suites are RE2 patterns, because RE2 matches in linear time. The grader matches them.
import { RE2JS, RE2JSException, RE2Set } from "re2js";

/**
 * Returns why a text is not an RE2 pattern, or null if it is one. It only parses the pattern: compiling counted repetitions can take a
 * hundred times the memory.
 */
export function findPatternFault(pattern: string): string | null {
	try {
		new RE2Set(RE2Set.UNANCHORED, RE2JS.MULTILINE).add(pattern);
		return null;
	} catch (error) {
		if (error instanceof RE2JSException) return error.message.replace("error parsing regexp: ", "").replace("`(?m)", "`");
		throw error;
	}
}
