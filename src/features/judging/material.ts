// A submission's files as judgements use them: cleaned once, shown in many calls, searched for quotes.

import type { Evidence, JudgedFile } from "../../ports/judge.ts";
import { cleanLine, cleanText, splitLines } from "./marking.ts";

const MAX_PATH_LENGTH = 512;
const MAX_QUOTE_LENGTH = 500;
/** A shorter quote, such as a brace, occurs in every file and proves nothing. */
const MIN_QUOTE_LENGTH = 8;

export interface Material {
	readonly path: string;
	/** The path as models see it. */
	readonly shownPath: string;
	readonly lines: readonly string[];
	readonly isClaim: boolean;
	/** Invisible characters that were taken out. */
	readonly removed: number;
}

const prepared = new WeakMap<JudgedFile, Material>();

/** Cleans a file; the same file again costs nothing. */
export function prepareFile(file: JudgedFile): Material {
	const known = prepared.get(file);
	if (known !== undefined) return known;
	const { text, removed } = cleanText(file.text);
	const material = {
		path: file.path,
		shownPath: cleanLine(file.path, MAX_PATH_LENGTH),
		lines: splitLines(text),
		isClaim: file.isClaim,
		removed: removed + cleanText(file.path).removed,
	};
	prepared.set(file, material);
	return material;
}

/**
 * The evidence whose quote is in the named file, ignoring white space, with its real line numbers.
 * Invented quotes are left out.
 */
export function verifyEvidence(claimed: readonly Evidence[], files: readonly Material[]): Evidence[] {
	return claimed.flatMap((evidence) => {
		const path = evidence.path.trim();
		for (const file of files) {
			if (file.shownPath !== path && file.path !== path) continue;
			const found = findQuote(file, evidence.quote);
			if (found !== null) return [{ path: file.path, ...found, quote: evidence.quote.trim().slice(0, MAX_QUOTE_LENGTH) }];
		}
		return [];
	});
}

interface Folded {
	readonly text: string;
	/** Where in `text` each line ends. */
	readonly lineEnds: readonly number[];
}

const folded = new WeakMap<Material, Folded>();

function foldFile(file: Material): Folded {
	const known = folded.get(file);
	if (known !== undefined) return known;
	let length = 0;
	const lines = file.lines.map(fold);
	const lineEnds = lines.map((line) => {
		length += line.length;
		return length;
	});
	const result = { text: lines.join(""), lineEnds };
	folded.set(file, result);
	return result;
}

function fold(text: string): string {
	return text.replace(/\s+/gu, "");
}

function findQuote(file: Material, quote: string): { start: number; end: number } | null {
	const wanted = fold(quote);
	const { text, lineEnds } = foldFile(file);
	const isTelling = wanted.length >= MIN_QUOTE_LENGTH || (wanted !== "" && wanted === text);
	const at = isTelling ? text.indexOf(wanted) : -1;
	if (at === -1) return null;
	const lineOf = (offset: number) => lineEnds.findIndex((end) => offset < end) + 1;
	return { start: lineOf(at), end: lineOf(at + wanted.length - 1) };
}
