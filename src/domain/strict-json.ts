// If a key occurs twice, `JSON.parse` uses the last value, and other parsers the first. This parser accepts only unambiguous JSON.

/** Thrown for a string that is not JSON, or that parsers interpret differently. */
export class StrictJsonError extends Error {
	override readonly name = "StrictJsonError";
}

/** Deeper JSON would overflow the stack when it is serialised. */
const MAX_DEPTH = 64;
/** Finds strings, brackets and colons. An unterminated string continues to the end of the text, so nothing is scanned twice. */
const TOKENS = /"(?:[^"\\]|\\.)*"?|[[\]{}:]/gs;

/**
 * Parses JSON in time linear in its length.
 *
 * @throws StrictJsonError, also for a key that occurs twice in one object, at any depth and regardless of escaping.
 */
export function parseStrictJson(text: string): unknown {
	assertShallow(text);
	const json = parseJsonText(text);
	assertDistinctKeys(text);
	return json;
}

function parseJsonText(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		const hint = /\b(NaN|-?Infinity)\b/.test(text) ? " JSON does not allow NaN or Infinity." : "";
		throw new StrictJsonError(`is not valid JSON.${hint}`);
	}
}

function assertShallow(text: string): void {
	let depth = 0;
	for (const [token] of text.matchAll(TOKENS)) {
		if (token === "{" || token === "[") depth += 1;
		else if (token === "}" || token === "]") depth -= 1;
		if (depth > MAX_DEPTH) throw new StrictJsonError(`is nested more than ${MAX_DEPTH} levels deep.`);
	}
}

/** Expects valid JSON, in which a colon outside of strings occurs only after a key. */
function assertDistinctKeys(text: string): void {
	const open: Set<string>[] = [];
	let lastString = "";
	for (const [token] of text.matchAll(TOKENS)) {
		if (token === "{" || token === "[") open.push(new Set());
		else if (token === "}" || token === "]") open.pop();
		else if (token === ":") addKey(open.at(-1) ?? new Set(), lastString);
		else lastString = token;
	}
}

function addKey(keys: Set<string>, literal: string): void {
	const key = String(JSON.parse(literal));
	if (keys.has(key)) throw new StrictJsonError(`has the key ${JSON.stringify(key.slice(0, 100))} twice in one object.`);
	keys.add(key);
}

/** Returns true if a string is a single JSON value. */
export function isJsonText(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
