export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/**
 * Formats a JSON value in its canonical form (RFC 8785): without white space, names sorted by their UTF-16 units, numbers as in ECMAScript.
 *
 * @throws TypeError for numbers that are not finite, and for strings with a lone surrogate, which I-JSON does not allow.
 */
export function canonicalJson(value: JsonValue): string {
	if (typeof value === "string") return quoteString(value);
	if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${value} cannot be written as JSON.`);
	if (value === null || typeof value !== "object") return JSON.stringify(value);
	if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
	const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
	return `{${members.map(([name, member]) => `${quoteString(name)}:${canonicalJson(member)}`).join(",")}}`;
}

/** Does the same as `Array.isArray`, which does not narrow the type of read-only arrays. */
function isList(value: readonly JsonValue[] | { readonly [name: string]: JsonValue }): value is readonly JsonValue[] {
	return Array.isArray(value);
}

function quoteString(text: string): string {
	if (!text.isWellFormed()) throw new TypeError("Text with a lone surrogate cannot be written as JSON.");
	return JSON.stringify(text);
}
