// Decides what a judge reads of an artifact. Previews for authors use the same functions.
import type { CutFile, JudgedFile } from "../../../ports/judge.ts";

/** Characters of all files together that one judgement reads. */
const TEXT_BUDGET = 400_000;
/** The share of these that claims may take, so that long documents displace no work. */
export const CLAIM_SHARE = 0.25;
/** A file larger than this is listed, not read. */
const MAX_FILE_BYTES = 200_000;

/** A file of an artifact before it is read. */
export interface TextSource {
	readonly path: string;
	/** Unpacked. */
	readonly bytes: number;
	/** Whether one more read is affordable. */
	isWithinReach(): boolean;
	read(): Promise<Uint8Array>;
}

export interface ReadTexts {
	readonly files: readonly JudgedFile[];
	/** Too large, not text, or beyond the room. */
	readonly unreadPaths: readonly string[];
}

/**
 * Reads text files in a fixed order until their room is full. Claims have a quarter of the room, everything else the rest of it.
 * The file that fills the room is cut at the end of a line.
 */
export async function readTexts(sources: readonly TextSource[]): Promise<ReadTexts> {
	const files: JudgedFile[] = [];
	const unreadPaths: string[] = [];
	let left = TEXT_BUDGET;
	let leftForClaims = TEXT_BUDGET * CLAIM_SHARE;
	for (const source of sources.toSorted((a, b) => compareForReading(a.path, b.path))) {
		const ofClaim = isClaim(source.path);
		const room = ofClaim ? Math.min(left, leftForClaims) : left;
		const part = await readPart(source, room);
		if (part === null) {
			unreadPaths.push(source.path);
			continue;
		}
		files.push({ path: source.path, isClaim: ofClaim, ...part });
		// After a cut, the room of its kind is full.
		const taken = part.totalLines === undefined ? part.text.length : room;
		left -= taken;
		if (ofClaim) leftForClaims -= taken;
	}
	return { files, unreadPaths };
}

/** Null when nothing of the file is read. */
async function readPart(source: TextSource, room: number): Promise<Part | null> {
	if (room <= 0 || source.bytes > MAX_FILE_BYTES || !source.isWithinReach()) return null;
	const text = decodeText(await source.read());
	return text === null ? null : fitIn(text, room);
}

type Part = Pick<JudgedFile, "text" | "totalLines">;

/** The text, or as many whole lines of it as there is room for; null when not even one fits. */
function fitIn(text: string, room: number): Part | null {
	if (text.length <= room) return { text };
	const end = Math.max(text.lastIndexOf("\n", room - 1), text.lastIndexOf("\r", room - 1));
	return end === -1 ? null : { text: text.slice(0, end + 1), totalLines: countLines(text) };
}

function countLines(text: string): number {
	const lines = text.split(/\r\n|\n|\r/);
	return lines.at(-1) === "" ? lines.length - 1 : lines.length;
}

/** Null for binary content. */
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

	/** To be called after the last piece. */
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

export type Reading = "full" | "cut" | "not_read";

/** What becomes of each file of a judgement, by path: of what was read, `cutFiles` did not fit into the model's call. */
export function describeReading({ files, unreadPaths }: ReadTexts, cutFiles: readonly CutFile[] = []): Map<string, Reading> {
	const readings = new Map<string, Reading>();
	for (const { path, totalLines } of files) readings.set(path, totalLines === undefined ? "full" : "cut");
	for (const { path, linesRead } of cutFiles) readings.set(path, linesRead === 0 ? "not_read" : "cut");
	for (const path of unreadPaths) readings.set(path, "not_read");
	return readings;
}

const MANIFESTS = ["package.json", "pyproject.toml", "requirements.txt", "Cargo.toml", "go.mod", "Makefile", "Dockerfile"];

/** SUBMISSION.md, READMEs, manifests, then everything by path. */
export function compareForReading(a: string, b: string): number {
	return readingRank(a) - readingRank(b) || (a < b ? -1 : 1);
}

function readingRank(path: string): number {
	if (path === "SUBMISSION.md") return 0;
	if (isClaim(path)) return 1;
	return MANIFESTS.includes(path.split("/").at(-1) ?? "") ? 2 : 3;
}

/** Whether a file says what its author asserts about the work, by its name as it looks: SUBMISSION.md and READMEs. */
export function isClaim(path: string): boolean {
	return path === "SUBMISSION.md" || /(^submission\.md|(^|\/)readme(\.[a-z]+)?)$/i.test(foldLook(path));
}

/** Equal for paths that look alike in a list: without invisible characters and white space, in one Unicode form. */
export function foldLook(path: string): string {
	return path.normalize("NFKC").replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\s]+/gu, "");
}
