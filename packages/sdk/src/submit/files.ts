// The files of a submission are bytes by path. JSON contains them as text or base64.
import { BountyUsageError } from "../core/errors.ts";
import type { Bytes } from "../core/options.ts";
import { toBytes } from "../core/upload.ts";
import type { components } from "../generated/schema.ts";

/** A file's content. Text is sent as UTF-8. */
export type FileContent = string | Bytes;
/** Contents by relative path with `/`, or a list of pairs. */
export type FileSet = Readonly<Record<string, FileContent>> | Iterable<readonly [path: string, content: FileContent]>;

export type FileMap = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
export type QuickFiles = components["schemas"]["QuickSubmitRequest"]["files"];

const QUICK_MAX_FILES = 2_000;
/** The number of bytes that fit, in base64, into the largest JSON body that the platform accepts. */
const QUICK_MAX_BYTES = 5 * 1024 * 1024;

/**
 * Reads all contents into memory.
 *
 * @throws BountyUsageError without a file, or for a path that occurs twice.
 */
export async function readFileSet(files: FileSet): Promise<FileMap> {
	const entries = Symbol.iterator in files ? [...files] : Object.entries(files);
	if (entries.length === 0) throw new BountyUsageError("There are no files to submit.");
	const map = new Map<string, Uint8Array<ArrayBuffer>>();
	for (const [path, content] of entries) {
		if (map.has(path)) throw new BountyUsageError(`The path ${JSON.stringify(path)} occurs twice.`);
		map.set(path, await toBytes(content));
	}
	return map;
}

/** Returns the text of bytes, or null if they are not UTF-8 text and would change. */
export function decodeUtf8(bytes: Uint8Array): string | null {
	if (bytes.includes(0)) return null;
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return null;
	}
}

/**
 * Returns contents in the form for `quickSubmit`, `checkSubmission` and `startDryRun`.
 *
 * @throws BountyUsageError without a file, or for a path that occurs twice.
 */
export async function encodeFiles(files: FileSet): Promise<QuickFiles> {
	return toQuickFiles(await readFileSet(files));
}

/** Makes JSON of files that are in memory. */
export function toQuickFiles(files: FileMap): QuickFiles {
	return Object.fromEntries([...files].map(([path, bytes]) => [path, toQuickFile(bytes)]));
}

/** Keeps text as text, unless it is shorter in base64 than with the escapes of JSON. */
function toQuickFile(bytes: Uint8Array): QuickFiles[string] {
	const text = decodeUtf8(bytes);
	if (text !== null && JSON.stringify(text).length - text.length <= bytes.length / 3 + 2) return text;
	return { content: toBase64(bytes), encoding: "base64" };
}

function toBase64(bytes: Uint8Array): string {
	const pieces: string[] = [];
	// More arguments than this overflow the stack of some engines.
	for (let at = 0; at < bytes.length; at += 0x8000) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
	return btoa(pieces.join(""));
}

/** Returns true if one JSON request can contain the files. Larger work is uploaded as a zip. */
export function suitsQuickSubmit(files: FileMap): boolean {
	return files.size <= QUICK_MAX_FILES && sizeOf(files) <= QUICK_MAX_BYTES;
}

function sizeOf(files: FileMap): number {
	return [...files.values()].reduce((sum, { length }) => sum + length, 0);
}
