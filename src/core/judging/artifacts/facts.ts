// Finds facts about an artifact without running it: its languages, and whether its manifests and sources parse.
import type { JSXToken, Token } from "js-tokens";
import jsTokens from "js-tokens";
import { parse } from "meriyah";
import { parse as parseToml } from "smol-toml";
import type { JudgedFile } from "../../../ports/judge.ts";
import type { ArtifactFiles } from "./files.ts";

/** This and the following tables are maps, because an object would return an inherited property for a file named `constructor`. */
const LANGUAGES: ReadonlyMap<string, string> = new Map(
	Object.entries({
		c: "C",
		cc: "C++",
		cpp: "C++",
		cs: "C#",
		css: "CSS",
		go: "Go",
		h: "C",
		html: "HTML",
		java: "Java",
		js: "JavaScript",
		jsx: "JavaScript",
		kt: "Kotlin",
		lua: "Lua",
		mjs: "JavaScript",
		cjs: "JavaScript",
		php: "PHP",
		py: "Python",
		rb: "Ruby",
		rs: "Rust",
		scala: "Scala",
		sh: "Shell",
		sol: "Solidity",
		sql: "SQL",
		swift: "Swift",
		ts: "TypeScript",
		tsx: "TypeScript",
		mts: "TypeScript",
		cts: "TypeScript",
		zig: "Zig",
	}),
);

const MAX_LISTED_FAULTS = 10;

export interface ArtifactFacts {
	/** Languages, by unpacked bytes, the largest first. */
	readonly languages: readonly { readonly language: string; readonly files: number; readonly bytes: number }[];
	/** Manifests that parse, each as its path and its purpose. */
	readonly manifests: readonly string[];
	readonly files_checked: number;
	/** The first ten files that do not parse, each with the reason. */
	readonly faults: readonly string[];
}

/** Counts languages over all files, and checks the manifests and sources that were read. The same files always have the same facts. */
export function findFacts({ files, manifest }: ArtifactFiles): ArtifactFacts {
	// Only whole files are parsed: the beginning of a file may not parse even if the whole file does.
	const whole = files.filter(({ totalLines }) => totalLines === undefined);
	const checks = whole.flatMap((file) => {
		const check = chooseCheck(file.path);
		return check === null ? [] : [{ file, ...check, fault: runCheck(check.parse, file.text) }];
	});
	return {
		languages: countLanguages(manifest),
		manifests: checks.filter(({ kind, fault }) => kind !== null && fault === null).map(({ file, kind }) => `${file.path} (${kind})`),
		files_checked: checks.length,
		faults: checks.flatMap(({ file, fault }) => (fault === null ? [] : [`${file.path}: ${fault}`])).slice(0, MAX_LISTED_FAULTS),
	};
}

/** Describes each fact in one sentence, for the judge. */
export function describeFacts({ languages, manifests, files_checked, faults }: ArtifactFacts): string[] {
	const shares = languages.slice(0, 5).map(({ language, files, bytes }) => `${language} (${files} files, ${bytes} bytes)`);
	return [
		shares.length === 0 ? "No source files of a known language." : `Languages: ${shares.join(", ")}.`,
		manifests.length === 0 ? "No build manifest that parses." : `Build manifests: ${manifests.join(", ")}.`,
		`Static check: ${files_checked} files checked, ${faults.length} with faults.`,
		...faults.map((fault) => `Does not parse: ${fault}.`),
	];
}

function countLanguages(manifest: ArtifactFiles["manifest"]): ArtifactFacts["languages"] {
	const counts = new Map<string, { files: number; bytes: number }>();
	for (const { path, bytes } of manifest) {
		const language = LANGUAGES.get(extensionOf(path));
		if (language === undefined) continue;
		const count = counts.get(language) ?? { files: 0, bytes: 0 };
		counts.set(language, { files: count.files + 1, bytes: count.bytes + bytes });
	}
	return [...counts]
		.map(([language, count]) => ({ language, ...count }))
		.toSorted((a, b) => b.bytes - a.bytes || (a.language < b.language ? -1 : 1));
}

function extensionOf(path: string): string {
	return /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
}

type Parse = (text: JudgedFile["text"]) => unknown;

interface Check {
	/** The purpose of the manifest. Null for a source file. */
	readonly kind: string | null;
	readonly parse: Parse;
}

const MANIFEST_CHECKS: ReadonlyMap<string, Check> = new Map(
	Object.entries<Check>({
		"package.json": { kind: "npm", parse: JSON.parse },
		"pyproject.toml": { kind: "Python", parse: (text) => parseToml(text) },
		"Cargo.toml": { kind: "Cargo", parse: (text) => parseToml(text) },
		"go.mod": { kind: "Go module", parse: (text) => requireLine(text, /^module[ \t]+\S/m, "has no module line") },
		Makefile: { kind: "make", parse: (text) => requireLine(text, /^[^\s#:=][^:=\n\r\u2028\u2029]*:(?!=)/m, "has no rule") },
		Dockerfile: { kind: "Docker", parse: (text) => requireLine(text, /^[ \t]*FROM[ \t]+\S/im, "has no FROM line") },
	}),
);

const SOURCE_PARSERS: ReadonlyMap<string, Parse> = new Map(
	Object.entries<Parse>({
		json: JSON.parse,
		js: (text) => assertJavaScript(text, ["module", "commonjs"]),
		jsx: (text) => assertJavaScript(text, ["module", "commonjs"]),
		mjs: (text) => assertJavaScript(text, ["module"]),
		cjs: (text) => assertJavaScript(text, ["commonjs"]),
		ts: (text) => assertTypeScriptBrackets(text, { jsx: false }),
		mts: (text) => assertTypeScriptBrackets(text, { jsx: false }),
		cts: (text) => assertTypeScriptBrackets(text, { jsx: false }),
		tsx: (text) => assertTypeScriptBrackets(text, { jsx: true }),
	}),
);

function chooseCheck(path: string): Check | null {
	const name = path.split("/").at(-1) ?? "";
	const manifest = MANIFEST_CHECKS.get(name);
	if (manifest !== undefined) return manifest;
	const parse = SOURCE_PARSERS.get(extensionOf(path));
	return parse === undefined ? null : { kind: null, parse };
}

function requireLine(text: string, pattern: RegExp, fault: string): void {
	if (!pattern.test(text)) throw new Error(fault);
}

function runCheck(parse: Parse, text: string): string | null {
	try {
		parse(text);
		return null;
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		// The error of a JSON parser may quote half of a surrogate pair as the unexpected character.
		return message.split("\n")[0]?.slice(0, 200).toWellFormed() ?? "does not parse";
	}
}

// These functions check the syntax of untrusted sources, in linear time.

type JavaScriptGoal = "module" | "commonjs";

/**
 * Parses JavaScript, including JSX, and accepts it if it parses as one of the given kinds of source.
 *
 * @throws Error with the reason why it does not parse as the first kind.
 */
function assertJavaScript(text: string, [goal, ...others]: readonly [JavaScriptGoal, ...JavaScriptGoal[]]): void {
	try {
		parse(text, { sourceType: goal, jsx: true, next: true, webcompat: true });
	} catch (error) {
		if (others.some((other) => fits(text, other))) return;
		// Chains such as `!!!!` recurse without brackets, so a check before parsing cannot bound the stack. A stack overflow is harmless
		// here, because the parser's state is discarded.
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
 * Checks only that literals, comments and brackets of TypeScript are closed. TypeScript parsers that are small enough for a Worker use
 * backtracking: they would need minutes for a few nested casts or arrow functions.
 *
 * @throws Error with the reason and the line.
 */
function assertTypeScriptBrackets(text: string, { jsx }: { readonly jsx: boolean }): void {
	const open: { readonly closer: string; readonly at: number }[] = [];
	let at = 0;
	for (const token of tokenize(text, jsx)) {
		// The tokenizer reads `<T,>(a: T) => a` as a JSX element, so it cannot check the rest of the file.
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

/** Returns a punctuator itself, or the type of a template's head or tail. Returns an empty string for other tokens. */
function bracketOf({ type, value }: Token | JSXToken): string {
	if (type === "TemplateHead" || type === "TemplateTail") return type;
	return type === "Punctuator" || type === "JSXPunctuator" ? value : "";
}

function faultAt(text: string, at: number, reason: string): Error {
	return new Error(`${reason} (line ${text.slice(0, at).split("\n").length})`);
}
