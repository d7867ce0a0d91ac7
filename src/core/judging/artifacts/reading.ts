// Decides which parts of an artifact a judge reads. Previews for authors use the same functions.
import type { EvaluationRequest, JudgedFile, UnreadPart } from "../../../ports/judge.ts";
import { sortForReading } from "./paths.ts";
import { divideRoom } from "./room.ts";

/** The maximum number of characters, of all files together, that one judgement reads. */
const TEXT_BUDGET = 400_000;
/** A file with more bytes than this is listed, but not read. */
export const MAX_FILE_BYTES = 200_000;

/** A file whose text can be read. */
export interface TextSource {
	readonly path: string;
	readonly bytes: number;
	/** Returns true if the file can be read without exceeding the limit of requests. */
	isWithinReach(): boolean;
	read(): Promise<Uint8Array>;
}

/** The files of an artifact that a judge gets. */
export type ReadFiles = Pick<EvaluationRequest, "files" | "unreadPaths">;

/** As long as at least this number of characters is left over, unread files get them. */
const MIN_ROOM = 2_000;

/**
 * Reads as much of each text file as fits into the room that `room.ts` gives it. The order of the sources does not matter. A file that gets
 * less room than it needs is cut at the end of a line.
 */
export async function readTexts(sources: readonly TextSource[]): Promise<ReadFiles> {
	const files: JudgedFile[] = [];
	const unread = new Set(sources);
	let open = sources.filter(({ bytes }) => bytes <= MAX_FILE_BYTES);
	for (let left = TEXT_BUDGET; left >= MIN_ROOM && open.length > 0; ) {
		// Text has at most as many characters as bytes. An empty file counts as 1, because a file without room is not read.
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

/** Reads as much of a file as fits into its room. Returns null if nothing of the file can be read. */
async function readPart(source: TextSource, room: number): Promise<Excerpt | null> {
	if (!source.isWithinReach()) return null;
	const text = decodeText(await source.read());
	return text === null ? null : fitIn(text, room);
}

type Excerpt = Pick<JudgedFile, "text" | "totalLines">;

/** Returns the text, or as many whole lines as fit. Returns null if not even one line fits. */
function fitIn(text: string, room: number): Excerpt | null {
	if (text.length <= room) return { text };
	const end = Math.max(text.lastIndexOf("\n", room - 1), text.lastIndexOf("\r", room - 1));
	return end === -1 ? null : { text: text.slice(0, end + 1), totalLines: countLines(text) };
}

function countLines(text: string): number {
	const lines = text.split(/\r\n|\n|\r/);
	return lines.at(-1) === "" ? lines.length - 1 : lines.length;
}

/** Returns null for content that is not UTF-8 or contains a zero byte, because it is not text. */
export function decodeText(bytes: Uint8Array): string | null {
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
		return text.includes("\0") ? null : text;
	} catch {
		return null;
	}
}

/** Finds out whether content that arrives in pieces is text according to {@link decodeText}. */
export class TextDetector {
	readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
	#isText = true;

	add(piece: Uint8Array): void {
		if (this.#isText) this.#isText = this.#decode(piece, { stream: true });
	}

	/** Returns true if the pieces so far can be the beginning of text. */
	mayBeText(): boolean {
		return this.#isText;
	}

	/** Returns true if all pieces together are text. Call this after the last piece. */
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
 * @param cutFiles Files that were read but did not fit completely into the call to the model.
 */
export function coverageByPath({ files, unreadPaths }: ReadFiles, cutFiles: readonly UnreadPart[] = []): Map<string, Coverage> {
	const coverage = new Map<string, Coverage>();
	for (const { path, totalLines } of files) coverage.set(path, totalLines === undefined ? "full" : "cut");
	for (const { path, linesRead } of cutFiles) coverage.set(path, linesRead === 0 ? "not_read" : "cut");
	for (const path of unreadPaths) coverage.set(path, "not_read");
	return coverage;
}
