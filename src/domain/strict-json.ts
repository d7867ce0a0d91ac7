// If a key occurs twice in an object, `JSON.parse` uses the last value, and other parsers use the first. This parser rejects such JSON.

/** Thrown for a string that is not JSON, is nested too deeply, or has a key twice. The message has no subject: "is not valid JSON." */
export class StrictJsonError extends Error {
	override readonly name = "StrictJsonError";
}

/** How deeply JSON may be nested. Deeper JSON could overflow the stack when it is serialised. */
const MAX_DEPTH = 64;
/** Matches strings, brackets and colons. An unterminated string matches up to the end of the text, so nothing is scanned twice. */
const TOKENS = /"(?:[^"\\]|\\.)*"?|[[\]{}:]/gs;

/**
 * Parses JSON in time linear in its length.
 *
 * @throws StrictJsonError, also for keys of one object that are equal only after their escapes are decoded.
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

/** Expects valid JSON. Outside of strings, it has a colon only after a key. */
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
