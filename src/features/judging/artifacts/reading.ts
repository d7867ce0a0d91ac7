// Decides what a judge reads of an artifact. Previews for authors use the same functions.
import type { CutFile, WorkFile, WorkFiles } from "../../../ports/judge.ts";
import { type FileStat, isClaim, kindOf } from "./kinds.ts";
import { shareRoom, sortForReading } from "./sharing-room.ts";

/** One judgement reads this number of characters of all files together. */
const TEXT_BUDGET = 400_000;
/** A file larger than this is listed, not read. */
export const MAX_FILE_BYTES = 200_000;

/** A text of an artifact can be read from such a source. */
export interface TextSource extends FileStat {
	/** Returns true if one more read is affordable. */
	isWithinReach(): boolean;
	read(): Promise<Uint8Array>;
}

/**
 * Reads text files until their room is full, as `sharing-room.ts` divides it. The result does not depend on the order of the sources.
 * The file that fills the room of its kind is cut at the end of a line.
 */
export async function readTexts(sources: readonly TextSource[]): Promise<WorkFiles> {
	const files: (WorkFile & FileStat)[] = [];
	const unread: TextSource[] = [];
	// A text has at most as many characters as bytes.
	const demands = sources.map((source) => {
		return { ...source, source, kind: kindOf(source), size: source.bytes > MAX_FILE_BYTES ? 0 : source.bytes };
	});
	const shares = shareRoom(demands, TEXT_BUDGET);
	let usedRoom = 0;
	for (let share = shares.next(); share.done !== true; share = shares.next(usedRoom)) {
		const { file, room } = share.value;
		const part = await readPart(file.source, room);
		// After a cut, the room of its kind is full.
		usedRoom = part === null ? 0 : part.totalLines === undefined ? part.text.length : room;
		if (part === null) unread.push(file.source);
		else files.push({ path: file.path, bytes: file.bytes, isClaim: isClaim(file.path, part.text), ...part });
	}
	return { files: sortForReading(files), unreadPaths: sortForReading(unread).map(({ path }) => path) };
}

/** Returns null when nothing of the file is read. */
async function readPart(source: TextSource, room: number): Promise<Excerpt | null> {
	if (room <= 0 || source.bytes > MAX_FILE_BYTES || !source.isWithinReach()) return null;
	const text = decodeText(await source.read());
	return text === null ? null : fitIn(text, room);
}

type Excerpt = Pick<WorkFile, "text" | "totalLines">;

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
 * Returns by path how much of each file of a judgement was judged.
 *
 * @param cutFiles These files were read and did not fit into the model's call.
 */
export function coverageByPath({ files, unreadPaths }: WorkFiles, cutFiles: readonly CutFile[] = []): Map<string, Coverage> {
	const coverage = new Map<string, Coverage>();
	for (const { path, totalLines } of files) coverage.set(path, totalLines === undefined ? "full" : "cut");
	for (const { path, linesRead } of cutFiles) coverage.set(path, linesRead === 0 ? "not_read" : "cut");
	for (const path of unreadPaths) coverage.set(path, "not_read");
	return coverage;
}
