// Checks the syntax of untrusted sources in linear time.
import jsTokens, { type JSXToken, type Token } from "js-tokens";
import { parse } from "meriyah";

export type JavaScriptGoal = "module" | "commonjs";

/**
 * Parses JavaScript, JSX included. Passes when any of the goals fits.
 *
 * @throws Error with the reason why the first goal does not fit.
 */
export function assertJavaScript(text: string, [goal, ...others]: readonly [JavaScriptGoal, ...JavaScriptGoal[]]): void {
	try {
		parse(text, { sourceType: goal, jsx: true, next: true, webcompat: true });
	} catch (error) {
		if (others.some((other) => fits(text, other))) return;
		// Chains such as `!!!!` recurse without brackets, so no check before parsing can bound the stack. Nothing outlives the overflow.
		throw error instanceof RangeError ? new Error("is nested too deeply to be checked", { cause: error }) : error;
	}
}

function fits(text: string, goal: JavaScriptGoal): boolean {
	try {
		assertJavaScript(text, [goal]);
		return true;
	} catch {
		return false;
	}
}

const CLOSERS: ReadonlyMap<string, string> = new Map([
	["(", ")"],
	["[", "]"],
	["{", "}"],
	["TemplateHead", "TemplateTail"],
]);
const ALL_CLOSERS: ReadonlySet<string> = new Set(CLOSERS.values());

/**
 * Checks that the literals, comments and brackets of TypeScript are closed, and nothing else: each TypeScript parser small enough
 * for a Worker backtracks, so a few nested casts or arrow functions take it minutes.
 *
 * @throws Error with the reason and the line.
 */
export function assertTypeScriptBrackets(text: string, { jsx }: { readonly jsx: boolean }): void {
	const open: { readonly closer: string; readonly at: number }[] = [];
	let at = 0;
	for (const token of tokenize(text, jsx)) {
		// The tokenizer reads `<T,>(a: T) => a` as an element, so it knows nothing about the rest of the file.
		if (token.type === "JSXInvalid") return;
		if ("closed" in token && !token.closed) throw faultAt(text, at, "A literal or comment is not closed");
		const bracket = bracketOf(token);
		const closer = CLOSERS.get(bracket);
		if (closer !== undefined) open.push({ closer, at });
		else if (ALL_CLOSERS.has(bracket) && open.pop()?.closer !== bracket) throw faultAt(text, at, "A closing bracket does not match");
		at += token.value.length;
	}
	const last = open.pop();
	if (last !== undefined) throw faultAt(text, last.at, "A bracket or template is not closed");
}

function tokenize(text: string, jsx: boolean): Iterable<Token | JSXToken> {
	return jsx ? jsTokens(text, { jsx }) : jsTokens(text);
}

/** Returns the bracket that a token is, or the type of a part of a template. Returns an empty text for other tokens. */
function bracketOf({ type, value }: Token | JSXToken): string {
	if (type === "TemplateHead" || type === "TemplateTail") return type;
	return type === "Punctuator" || type === "JSXPunctuator" ? value : "";
}

function faultAt(text: string, at: number, reason: string): Error {
	return new Error(`${reason} (line ${text.slice(0, at).split("\n").length})`);
}
