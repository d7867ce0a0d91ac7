// Reads `.gitignore` and `.bountyignore`, in a folder and in every folder below it. The Python package reads them in the same way.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Of these two, `.bountyignore` has priority. */
const FILES = [".gitignore", ".bountyignore"];

/** One line of a rule file. */
interface Rule {
	readonly pattern: RegExp;
	readonly isNegated: boolean;
	readonly isForFolders: boolean;
}

/** The rules that apply in a folder, outermost first. Their paths are relative to the prefix, a folder with a slash at its end. */
export type IgnoreRules = readonly { readonly prefix: string; readonly rules: readonly Rule[] }[];

/** Returns the rules of a folder: those of its parents, and its own. */
export async function readRules(parent: IgnoreRules, { folder, prefix }: { folder: string; prefix: string }): Promise<IgnoreRules> {
	const texts = await Promise.all(FILES.map((name) => readRuleFile(join(folder, name))));
	const rules = texts.flatMap((text) => (text === null ? [] : parseRules(text)));
	return rules.length === 0 ? parent : [...parent, { prefix, rules }];
}

/**
 * Reads a rule file. Returns null if there is no such file, or if a folder has this name. Links are followed, because ignoring less than
 * the user expects could send a secret.
 */
async function readRuleFile(path: string): Promise<string | null> {
	try {
		return await readFile(path, "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EISDIR")) return null;
		throw error;
	}
}

/** Returns true if the last rule that matches a path ignores it. The contents of an ignored folder are not checked. */
export function isIgnored(rules: IgnoreRules, path: string, { isFolder }: { isFolder: boolean }): boolean {
	let ignored = false;
	for (const { prefix, rules: own } of rules) {
		const relative = path.slice(prefix.length);
		for (const { pattern, isNegated, isForFolders } of own) {
			if (ignored === isNegated && (isFolder || !isForFolders) && pattern.test(relative)) ignored = !isNegated;
		}
	}
	return ignored;
}

/** Returns the rules of a file's text. */
function parseRules(text: string): Rule[] {
	return text
		.replace(/^\ufeff/, "")
		.split(/\r?\n/)
		.flatMap((line) => parseLine(line) ?? []);
}

function parseLine(line: string): Rule | null {
	const trimmed = withoutEnd(line);
	if (trimmed === "" || trimmed.startsWith("#")) return null;
	const isNegated = trimmed.startsWith("!");
	const positive = isNegated ? trimmed.slice(1) : trimmed;
	const isForFolders = positive.endsWith("/");
	const path = isForFolders ? positive.slice(0, -1) : positive;
	const start = path.includes("/") ? "" : "(?:[^/]+/)*";
	const glob = path.startsWith("/") ? path.slice(1) : path;
	const translated = translate(glob);
	if (glob === "" || translated === null) return null;
	return { pattern: new RegExp(`^${start}${translated}$`, "isu"), isNegated, isForFolders };
}

/**
 * Removes the spaces at the end of a line, except a space after a backslash.
 * If there are many, a regular expression would take quadratic time.
 */
function withoutEnd(line: string): string {
	let end = line.length;
	while (line[end - 1] === " ") end -= 1;
	return line.slice(0, line[end - 1] === "\\" ? end + 1 : end);
}

const PIECE = /(\*+)|(\?)|\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]|\\(.)|([^*?[\\])/suy;
const ANY_FOLDERS = "(?:[^/]+/)*";
const ANY_NAME = "[^/]*";
const SLASH = "\\/";

/** Returns a regular expression for a glob, or null for one that matches nothing. */
function translate(glob: string): string | null {
	const pieces: string[] = [];
	for (let at = 0; at < glob.length; ) {
		PIECE.lastIndex = at;
		const piece = PIECE.exec(glob);
		if (piece === null) return null;
		const end = at + piece[0].length;
		const isForFolders = piece[0] === "**" && isAtEdge(glob, at - 1) && isAtEdge(glob, end);
		if (!isForFolders) pieces.push(translatePiece(piece));
		else if (end === glob.length) pieces.push(".+");
		else if (pieces.at(-1) !== ANY_FOLDERS) pieces.push(ANY_FOLDERS);
		// `ANY_FOLDERS` includes the slash after `**`.
		at = isForFolders ? end + 1 : end;
	}
	let count = 0;
	const join = (parts: readonly string[], wildcard: string) => joinFirst(parts, wildcard, () => `_${++count}`);
	const names = splitAt(pieces, (piece) => piece === SLASH || piece === ANY_FOLDERS);
	return join(
		names.flatMap(({ before, end }) => [join(before, ANY_NAME), ...end]),
		ANY_FOLDERS,
	);
}

/**
 * Joins the parts of a pattern. After each wildcard except the last, only the first match of the next part is tried. Trying all matches
 * would multiply the steps of a search with each wildcard. The first match is as good as any, because the parts have a fixed length.
 */
function joinFirst(parts: readonly string[], wildcard: string, nameGroup: () => string): string {
	const texts = splitAt(parts, (part) => part === wildcard).map(({ before }) => before.join(""));
	const [begin = "", ...rests] = texts;
	const last = rests.pop();
	if (last === undefined) return begin;
	const found = rests.map((rest) => {
		const group = nameGroup();
		return `(?=(?<${group}>${wildcard}?${rest}))\\k<${group}>`;
	});
	return [begin, ...found, wildcard, last].join("");
}

/** Splits a list after each part that ends a section. The last section has no end. */
function splitAt(parts: readonly string[], isEnd: (part: string) => boolean) {
	const sections: { readonly before: string[]; readonly end: string[] }[] = [{ before: [], end: [] }];
	for (const part of parts) {
		if (!isEnd(part)) sections.at(-1)?.before.push(part);
		else {
			sections.at(-1)?.end.push(part);
			sections.push({ before: [], end: [] });
		}
	}
	return sections;
}

function translatePiece([, stars, question, negation, members, escaped, plain = ""]: RegExpExecArray): string {
	if (stars !== undefined) return ANY_NAME;
	if (question !== undefined) return "[^/]";
	if (members !== undefined) return `(?!/)[${negation === "" ? "" : "^"}${escapeMembers(members)}]`;
	return escapeLiteral(escaped ?? plain);
}

function isAtEdge(glob: string, index: number): boolean {
	return index < 0 || index >= glob.length || glob[index] === "/";
}

function escapeLiteral(character: string): string {
	return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

/**
 * Escapes everything except ranges in a class of characters.
 * Like Git, replaces a range that ends before it begins with its first character.
 */
function escapeMembers(members: string): string {
	return members.replace(/(\\?.)-(\\?.)|\\?./gsu, (whole, first?: string, last?: string) => {
		if (first === undefined || last === undefined) return escapeMember(whole);
		const range = `${escapeMember(first)}-${escapeMember(last)}`;
		return (first.at(-1) ?? "") <= (last.at(-1) ?? "") ? range : escapeMember(first);
	});
}

function escapeMember(member: string): string {
	const character = member.length > 1 && member.startsWith("\\") ? member.slice(1) : member;
	return /[\\^\][-]/.test(character) ? `\\${character}` : character;
}
