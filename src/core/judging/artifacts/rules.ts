import { AppError, invalidInput, sentenceOf } from "../../../domain/errors.ts";
import { isOneLine, ONE_LINE_RULE } from "../../../domain/one-line.ts";
import { PathTree } from "../../../domain/path-tree.ts";
import { SUBMISSION_SECTIONS } from "../../../domain/submission-sections.ts";
import { isSystemFile } from "../../../domain/work-files.ts";

export interface FileContent {
	/** A relative path, with `/` as separator. */
	readonly path: string;
	readonly content: Uint8Array;
}

export const MAX_FILES = 2000;
export const MAX_PATH_BYTES = 512;
/** The longest name of a file or folder that common file systems allow. */
export const MAX_SEGMENT_BYTES = 255;
export const MAX_CONTENT_TYPE_CHARACTERS = 255;
/** The maximum size of all files of a quick-submit together, before packing. Anything larger must be uploaded as a zip. */
export const MAX_FILES_BYTES = 5 * 1_048_576;

/** The maximum size of an uploaded zip. */
export const MAX_ARTIFACT_BYTES = 100 * 1_048_576;

export const SUBMISSION_MD = "SUBMISSION.md";

const encoder = new TextEncoder();

/** Why the files of a quick-submit are rejected. */
export interface FilesFault {
	readonly code: "INVALID_BODY" | "FILE_TOO_LARGE";
	/** The path of the faulty value in the request's body. */
	readonly path: string;
	readonly message: string;
}

/**
 * Reads the `files` of a quick-submit, and removes the contents from `files` like {@link examineFiles}.
 *
 * @throws AppError for the first fault that {@link examineFiles} finds.
 */
export function parseFiles(files: Record<string, unknown>): FileContent[] {
	const step = examineFiles(files).next();
	if (step.done !== true) throw toRefusal(step.value);
	return step.value;
}

function toRefusal({ code, path, message }: FilesFault): AppError {
	if (code === "INVALID_BODY") return invalidInput(code, [{ path, message }]);
	return new AppError(code, { message: `${sentenceOf({ path, message })}.`, details: { max_bytes: MAX_FILES_BYTES } });
}

/**
 * Yields all faults of the files, in a fixed order, and returns the files without faults. Ignores files that operating systems add. Removes
 * the content of each file from `files`: the body stays in memory until the response, and would keep the text there together with the
 * bytes.
 */
export function* examineFiles(files: Record<string, unknown>): Generator<FilesFault, FileContent[], void> {
	const entries = Object.entries(files).filter(([path]) => !isSystemFile(path));
	if (entries.length === 0 || entries.length > MAX_FILES) {
		yield faultOf("files", `must have 1 to ${MAX_FILES} entries`);
		return [];
	}
	const refused = yield* findRefusedPaths(entries.map(([path]) => path));
	const read: FileContent[] = [];
	let total = 0;
	for (const [path, value] of entries) {
		const content = decodeContent(path, value);
		delete files[path];
		if (!(content instanceof Uint8Array)) {
			yield content;
			continue;
		}
		const isFirstBeyond = total <= MAX_FILES_BYTES && total + content.byteLength > MAX_FILES_BYTES;
		total += content.byteLength;
		if (isFirstBeyond) yield TOO_LARGE;
		if (!refused.has(path)) read.push({ path: foldPath(path) === foldPath(SUBMISSION_MD) ? SUBMISSION_MD : path, content });
	}
	return read;
}

const TOO_LARGE: FilesFault = {
	code: "FILE_TOO_LARGE",
	path: "files",
	message: `may have at most ${MAX_FILES_BYTES} bytes in total`,
};

function faultOf(path: string, message: string): FilesFault {
	return { code: "INVALID_BODY", path, message };
}

/**
 * Yields the faults of paths, and returns the paths that have one. Rejects paths that some file system considers equal, and paths whose
 * folder is another file of the list, because such a zip cannot be unpacked everywhere.
 */
function* findRefusedPaths(paths: readonly string[]): Generator<FilesFault, ReadonlySet<string>, void> {
	const refused = new Set<string>();
	const pathByFolded = new Map<string, string>();
	for (const path of paths) {
		const pathFault = findArtifactPathFault(path);
		const folded = pathFault === null ? foldPath(path) : null;
		if (folded !== null && !pathByFolded.has(folded)) {
			pathByFolded.set(folded, path);
			continue;
		}
		refused.add(path);
		const isEqual = "is the same as another path, ignoring case and Unicode form";
		yield pathFault === null ? faultOf(placeOf(path), isEqual) : faultOf(placeOf(path.slice(0, 200)), pathFault);
	}
	const tree = new PathTree();
	// The platform adds SUBMISSION.md if the files do not include it.
	for (const folded of [foldPath(SUBMISSION_MD), ...pathByFolded.keys()]) tree.add(folded, { isFolder: false });
	for (const [folded, path] of pathByFolded) {
		const folder = tree.findFileAbove(folded);
		if (folder === null) continue;
		refused.add(path);
		yield faultOf(placeOf(folded), `is inside ${JSON.stringify(folder)}, which is a file`);
	}
	return refused;
}

function placeOf(path: string): string {
	return `files[${JSON.stringify(path)}]`;
}

export function foldPath(path: string): string {
	return path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/**
 * Returns why a path is rejected, or null if it is allowed. Paths are relative, with `/` separators and plain segments. They have at most
 * 512 bytes of UTF-8, and each segment at most 255.
 */
export function findArtifactPathFault(path: string): string | null {
	if (path === "") return "must not be empty";
	if (!path.isWellFormed()) return "must not contain lone surrogates";
	if (!isOneLine(path)) return ONE_LINE_RULE;
	if (encoder.encode(path).byteLength > MAX_PATH_BYTES) return `must have at most ${MAX_PATH_BYTES} bytes`;
	if (path.includes("\\")) return "must use / as its separator";
	if (/^[a-z]:/i.test(path)) return "must not start with a drive letter";
	const segments = path.split("/");
	if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
		return "must be relative, without empty, . or .. segments";
	}
	const isTooLong = (segment: string) => encoder.encode(segment).byteLength > MAX_SEGMENT_BYTES;
	return segments.some(isTooLong) ? `must have at most ${MAX_SEGMENT_BYTES} bytes in each part between slashes` : null;
}

function decodeContent(path: string, value: unknown): Uint8Array | FilesFault {
	const at = placeOf(path);
	if (typeof value === "string") return encodeText(at, value);
	if (typeof value !== "object" || value === null || !("content" in value) || typeof value.content !== "string") {
		return faultOf(at, "must be a string, or an object whose content is a string");
	}
	const encoding = "encoding" in value ? value.encoding : "utf8";
	if ("contentType" in value && value.contentType !== null && !isShortText(value.contentType)) {
		return faultOf(`${at}.contentType`, `must be a media type of at most ${MAX_CONTENT_TYPE_CHARACTERS} characters`);
	}
	if (encoding === "utf8" || encoding === undefined || encoding === null) return encodeText(at, value.content);
	if (encoding === "base64") return decodeBase64(at, value.content);
	return faultOf(`${at}.encoding`, "must be utf8 or base64");
}

function isShortText(value: unknown): boolean {
	return typeof value === "string" && value.length <= MAX_CONTENT_TYPE_CHARACTERS;
}

function encodeText(at: string, content: string): Uint8Array | FilesFault {
	return content.isWellFormed() ? encoder.encode(content) : faultOf(at, "contains lone surrogates; send binary content as base64");
}

function decodeBase64(at: string, content: string): Uint8Array | FilesFault {
	try {
		return Uint8Array.fromBase64(content);
	} catch {
		return faultOf(`${at}.content`, "is not valid base64");
	}
}

const MAX_NAMED_PATH = 200;

/** Returns why a zip without SUBMISSION.md at its root is rejected. If the file is elsewhere in the zip, the reason says where. */
export function describeMissingSubmissionMd(paths: readonly string[]): string {
	const nested = paths.find((path) => path.endsWith(`/${SUBMISSION_MD}`) && path.length <= MAX_NAMED_PATH);
	const message = `The zip has no ${SUBMISSION_MD} at its root.`;
	return nested === undefined
		? message
		: `${message} It has ${JSON.stringify(nested)}: zip the contents of that folder, not the folder itself.`;
}

/** Lists the sections of {@link SUBMISSION_SECTIONS} for which a SUBMISSION.md has no heading. */
export function findMissingSections(markdown: string): string[] {
	const headings = markdown.split(/\r?\n/).flatMap((line) => {
		// Closing `#` characters are removed with other punctuation, so that no pattern has to search for the end of the line.
		const heading = /^ {0,3}#{1,6}[ \t](.*)$/s.exec(line)?.[1];
		return heading === undefined ? [] : [normalizeHeading(heading)];
	});
	return SUBMISSION_SECTIONS.filter((section) => !headings.includes(normalizeHeading(section)));
}

/** Normalizes a heading to its words: case, numbering and punctuation around them do not matter. */
function normalizeHeading(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, " ")
		.replace(/^ *\d+ /, "")
		.trim();
}
