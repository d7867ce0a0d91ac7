// Decides what a judge reads of an artifact. Previews for authors use the same functions.
import type { EvaluationRequest, JudgedFile, UnreadPart } from "../../../ports/judge.ts";
import { sortForReading } from "./paths.ts";
import { divideRoom } from "./room.ts";

/** One judgement reads this number of characters of all files together. */
const TEXT_BUDGET = 400_000;
/** A file larger than this is listed, not read. */
export const MAX_FILE_BYTES = 200_000;

/** A text of an artifact can be read from such a source. */
export interface TextSource {
	readonly path: string;
	readonly bytes: number;
	/** Returns true if one more read is affordable. */
	isWithinReach(): boolean;
	read(): Promise<Uint8Array>;
}

/** A judge gets these files of an artifact. */
export type ReadFiles = Pick<EvaluationRequest, "files" | "unreadPaths">;

/** Characters that files did not need go to files that were not read yet, as long as there are enough to be worth a read. */
const MIN_ROOM = 2_000;

/**
 * Reads text files until their room is full, as `room.ts` divides it. The result does not depend on the order of the sources. A file that
 * gets less room than it needs is cut at the end of a line.
 */
export async function readTexts(sources: readonly TextSource[]): Promise<ReadFiles> {
	const files: JudgedFile[] = [];
	const unread = new Set(sources);
	let open = sources.filter(({ bytes }) => bytes <= MAX_FILE_BYTES);
	for (let left = TEXT_BUDGET; left >= MIN_ROOM && open.length > 0; ) {
		// A text has at most as many characters as bytes. An empty one needs some room to be read.
		const rooms = divideRoom(
			open.map(({ path, bytes }) => ({ path, size: Math.max(1, bytes) })),
			left,
		);
		const chosen = open.flatMap((source, index) => ((rooms[index] ?? 0) > 0 ? [{ source, room: rooms[index] ?? 0 }] : []));
		for (const { source, room } of chosen) {
			const part = await readPart(source, room);
			if (part === null) continue;
			left -= part.text.length;
			unread.delete(source);
			files.push({ path: source.path, ...part });
		}
		if (chosen.length === 0) break;
		open = open.filter((_, index) => (rooms[index] ?? 0) === 0);
	}
	return { files: sortForReading(files), unreadPaths: sortForReading([...unread]).map(({ path }) => path) };
}

/** Returns null when nothing of the file is read. */
async function readPart(source: TextSource, room: number): Promise<Excerpt | null> {
	if (!source.isWithinReach()) return null;
	const text = decodeText(await source.read());
	return text === null ? null : fitIn(text, room);
}

type Excerpt = Pick<JudgedFile, "text" | "totalLines">;

/** Returns the text, or as many whole lines of it as there is room for. Returns null when not even one fits. */
function fitIn(text: string, room: number): Excerpt | null {
	if (text.length <= room) return { text };
	const end = Math.max(text.lastIndexOf("\n", room - 1), text.lastIndexOf("\r", room - 1));
	return end === -1 ? null : { text: text.slice(0, end + 1), totalLines: countLines(text) };
}

function countLines(text: string): number {
	const lines = text.split(/\r\n|\n|\r/);
	return lines.at(-1) === "" ? lines.length - 1 : lines.length;
}

/** Returns null for binary content. */
export function decodeText(bytes: Uint8Array): string | null {
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
		return text.includes("\0") ? null : text;
	} catch {
		return null;
	}
}

/** Finds out whether {@link decodeText} would give a text for content that comes in pieces. */
export class TextDetector {
	readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
	#isText = true;

	add(piece: Uint8Array): void {
		if (this.#isText) this.#isText = this.#decode(piece, { stream: true });
	}

	/** Returns true if what was added may be the beginning of a text. */
	mayBeText(): boolean {
		return this.#isText;
	}

	/** Call it after the last piece. */
	isText(): boolean {
		return this.#isText && this.#decode(new Uint8Array());
	}

	#decode(piece: Uint8Array, options?: { stream: boolean }): boolean {
		try {
			return !this.#decoder.decode(piece, options).includes("\0");
		} catch {
			return false;
		}
	}
}

export type Coverage = "full" | "cut" | "not_read";

/**
 * Returns, by path, how much of each file was judged.
 *
 * @param cutFiles These files were read and did not fit into the model's call.
 */
export function coverageByPath({ files, unreadPaths }: ReadFiles, cutFiles: readonly UnreadPart[] = []): Map<string, Coverage> {
	const coverage = new Map<string, Coverage>();
	for (const { path, totalLines } of files) coverage.set(path, totalLines === undefined ? "full" : "cut");
	for (const { path, linesRead } of cutFiles) coverage.set(path, linesRead === 0 ? "not_read" : "cut");
	for (const path of unreadPaths) coverage.set(path, "not_read");
	return coverage;
}
