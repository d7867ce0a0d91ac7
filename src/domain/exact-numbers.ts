// JSON numbers can have any number of digits, but `JSON.parse` silently rounds them to doubles. Ids of other services are often too long
// for a double.
import type { FieldFault } from "./errors.ts";

/** Matches text that may contain a number that `JSON.parse` would change. Strings can match too, so such text must be scanned. */
const SUSPICIOUS = /\d{16}|[eE]\+?\d{3}/;
/** Matches strings, numbers and punctuation. Takes linear time, because an unterminated string matches up to the end of the text. */
const TOKENS = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|[[\]{}:,]/gs;
const WHOLE = /^-?\d+$/;

/** An open list or object, with the position of the value that is being read. */
interface Place {
	readonly isList: boolean;
	index: number;
	key: string;
}

/**
 * Finds a number that `JSON.parse` would change: an integer that a double cannot represent exactly, or a number that is too large for a
 * double. Fractions may be rounded. Returns null if there is no such number.
 *
 * @param text Valid JSON.
 * @param name The start of the fault's path, such as `value` for `value.a[2]`. It may be empty.
 */
export function findInexactNumber(text: string, name: string): FieldFault | null {
	if (!SUSPICIOUS.test(text)) return null;
	const open: Place[] = [];
	let lastString = "";
	for (const [token] of text.matchAll(TOKENS)) {
		if (token.startsWith('"')) lastString = token;
		else if ("[]{}:,".includes(token)) move(open, token, lastString);
		else if (!isExact(token)) return { path: pathOf(open, name), message: faultOf(token) };
	}
	return null;
}

/** Moves to the position of the next value. */
function move(open: Place[], punctuation: string, lastString: string): void {
	const place = open.at(-1);
	if (punctuation === "[" || punctuation === "{") open.push({ isList: punctuation === "[", index: 0, key: "" });
	else if (punctuation === "]" || punctuation === "}") open.pop();
	else if (punctuation === "," && place !== undefined) place.index += 1;
	else if (place !== undefined) place.key = String(JSON.parse(lastString));
}

function isExact(literal: string): boolean {
	const double = Number(literal);
	return Number.isFinite(double) && (Number.isSafeInteger(double) || !WHOLE.test(literal) || BigInt(literal) === BigInt(double));
}

function faultOf(literal: string): string {
	const excerpt = literal.length > 40 ? `${literal.slice(0, 40)}...` : literal;
	return `is ${excerpt}, which a 64-bit floating-point number cannot represent; send it as a string`;
}

const MAX_PATH_CHARACTERS = 500;

function pathOf(open: readonly Place[], name: string): string {
	const path = open.map(({ isList, index, key }) => (isList ? `[${index}]` : `.${key}`)).join("");
	return (name === "" ? path.replace(/^\./, "") : name + path).slice(0, MAX_PATH_CHARACTERS).toWellFormed();
}
