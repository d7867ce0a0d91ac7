// Prepares a submission's files for prompts: cleans them once, cuts them to the size of a call, and marks each line.

import { foldLook } from "../../../domain/look.ts";
import type { EvaluationRequest, JudgedFile, UnreadPart } from "../../../ports/judge.ts";
import { isClaimFile } from "../artifacts/paths.ts";
import { divideRoom } from "../artifacts/room.ts";
import { cleanLine, cleanText, splitLines, splitPieces } from "./marking.ts";

const MAX_PATH_LENGTH = 512;

export interface CleanFile {
	readonly path: string;
	/** The path that models see. */
	readonly shownPath: string;
	/** The path in a form that is equal for paths which a model could confuse. */
	readonly look: string;
	readonly lines: readonly string[];
	/** The number of lines in the file. `lines` has fewer if only the beginning of the file is known. */
	readonly totalLines: number;
	/** True for SUBMISSION.md and the README at the root, whose content counts only as the author's claims. */
	readonly isClaim: boolean;
	/** The number of invisible characters that were removed from the file. */
	readonly removed: number;
}

/** The part of a file that a call shows. */
export interface FileExcerpt {
	readonly file: CleanFile;
	readonly linesRead: number;
}

const prepared = new WeakMap<JudgedFile, CleanFile>();

/** Cleans a file. Cleaned files are cached. */
export function prepareFile(file: JudgedFile): CleanFile {
	const cached = prepared.get(file);
	if (cached !== undefined) return cached;
	const { text, removed } = cleanText(file.text);
	const lines = splitLines(text);
	const clean = {
		path: file.path,
		shownPath: cleanLine(file.path, MAX_PATH_LENGTH),
		look: foldLook(file.path),
		lines,
		totalLines: Math.max(lines.length, file.totalLines ?? 0),
		isClaim: isClaimFile(file.path),
		removed: removed + cleanText(file.path).removed,
	};
	prepared.set(file, clean);
	return clean;
}

/** The part of a prompt that contains the submission. */
export interface Material {
	readonly text: string;
	readonly shown: readonly FileExcerpt[];
	readonly cutFiles: readonly UnreadPart[];
	readonly strippedCharacters: number;
}

/** The maximum share of the room that the manifest gets. */
const MANIFEST_SHARE = 0.1;
const MAX_FACTS = 60;
const MAX_FACT_LENGTH = 400;

/** Shows facts, manifest and files. Every line is marked, because filenames are untrusted too. */
export function showMaterial(
	request: Pick<EvaluationRequest, "files" | "unreadPaths" | "missingSections" | "facts">,
	{ mark, room }: { readonly mark: string; readonly room: number },
): Material {
	const files = request.files.map(prepareFile);
	const excerpts = showFiles(files, { mark, room: room * (1 - MANIFEST_SHARE) });
	const shownFiles = excerpts.map(({ file, linesRead }) => ({ file, linesRead }));
	return {
		text: [
			"# FACTS\nWhat the platform found out about the submission by itself.",
			listFacts(request, mark),
			"# MANIFEST\nEvery file of the submission, and how much of it you see.",
			listManifest(request.unreadPaths, shownFiles, { mark, room: room * MANIFEST_SHARE }),
			"# FILES",
			...excerpts.flatMap(({ text }) => (text === "" ? [] : [text])),
			"The submission has ended.",
		].join("\n\n"),
		shown: shownFiles.filter(({ linesRead }) => linesRead > 0),
		cutFiles: shownFiles
			.filter(({ file, linesRead }) => linesRead < file.totalLines)
			.map(({ file, linesRead }) => ({ path: file.path, linesRead, lines: file.totalLines })),
		strippedCharacters: files.reduce((sum, { removed }) => sum + removed, 0),
	};
}

/** Returns a line as it is shown, with the mark before each piece. */
export function markText(mark: string, line: string): string {
	return splitPieces(line)
		.map((piece, index) => `${mark}${index === 0 ? "" : "+"}|${piece}`)
		.join("\n");
}

/** Removes the marks at the beginning of lines that a model copied along with their text. */
export function withoutMarks(mark: string, text: string): string {
	return text.replaceAll(new RegExp(`(^|\\n)[ \\t]*${mark}\\+?\\|`, "g"), "$1");
}

interface Shown extends FileExcerpt {
	readonly text: string;
}

/** Divides the room among the files. A file that does not fit shows its beginning. */
function showFiles(files: readonly CleanFile[], { mark, room }: { readonly mark: string; readonly room: number }): Shown[] {
	const sizes = files.map((file) => ({ path: file.path, size: sizeOf(file, mark) }));
	return divideRoom(sizes, room).map((part, index) => {
		const file = files[index];
		if (file === undefined) throw new Error("A file is missing.");
		return { file, ...showFile(file, { mark, room: part }) };
	});
}

function sizeOf({ shownPath, lines }: CleanFile, mark: string): number {
	const perPiece = mark.length + 3;
	return lines.reduce((sum, line) => sum + line.length + perPiece * splitPieces(line).length, 2 * shownPath.length + 40);
}

function showFile(file: CleanFile, { mark, room }: { readonly mark: string; readonly room: number }): { text: string; linesRead: number } {
	const shownLines = [`${mark} FILE ${JSON.stringify(file.shownPath)}`];
	let length = shownLines[0]?.length ?? 0;
	let linesRead = 0;
	for (const line of file.lines) {
		const marked = markText(mark, line);
		if (length + marked.length + 1 > room) break;
		length += marked.length + 1;
		shownLines.push(marked);
		linesRead += 1;
	}
	return linesRead === 0 ? { text: "", linesRead } : { text: shownLines.join("\n"), linesRead };
}

/** Facts can contain text from the submission, such as paths, so their lines are marked too. */
function listFacts({ missingSections, facts }: Pick<EvaluationRequest, "missingSections" | "facts">, mark: string): string {
	const missing = missingSections.length === 0 ? [] : [`SUBMISSION.md lacks these sections: ${missingSections.join(", ")}.`];
	const all = [...missing, ...facts].slice(0, MAX_FACTS);
	return all.length === 0 ? "None." : all.map((fact) => `${mark} FACT ${cleanLine(fact, MAX_FACT_LENGTH)}`).join("\n");
}

function listManifest(
	unreadPaths: readonly string[],
	shown: readonly FileExcerpt[],
	{ mark, room }: { readonly mark: string; readonly room: number },
): string {
	const unread = unreadPaths.map((path) => `${JSON.stringify(cleanLine(path, MAX_PATH_LENGTH))} not shown`);
	const entries = [...shown.map(describeExtent), ...unread];
	const lines: string[] = [];
	let left = room;
	for (const entry of entries) {
		const line = `${mark} ${entry}`;
		left -= line.length + 1;
		if (left < 0) break;
		lines.push(line);
	}
	if (lines.length < entries.length) lines.push(`${mark} and ${entries.length - lines.length} more files`);
	return lines.length === 0 ? "No files." : lines.join("\n");
}

function describeExtent({ file, linesRead }: FileExcerpt): string {
	const lines = `${file.totalLines} lines`;
	const extent = linesRead === file.totalLines ? lines : linesRead === 0 ? `${lines}, not shown` : `${lines}, the first ${linesRead} shown`;
	return `${JSON.stringify(file.shownPath)} ${extent}${file.removed === 0 ? "" : `, ${file.removed} invisible characters taken out`}`;
}
