import { AppError, invalidInput } from "../../domain/errors.ts";
import { decodeBase64InPlace, LongText } from "../../domain/long-text.ts";

export interface SubmittedFile {
	/** Relative, with `/` separators. */
	readonly path: string;
	readonly content: Uint8Array;
}

export const MAX_FILES = 2000;
export const MAX_PATH_BYTES = 512;
export const MAX_CONTENT_TYPE_CHARACTERS = 255;
/** 25 MB of file content, before packing. */
export const MAX_FILES_BYTES = 25 * 1_048_576;

/** Size of an uploaded zip. Contract: "Limits", Upload size. */
export const MAX_ARTIFACT_BYTES = 100 * 1_048_576;

export const SUBMISSION_MD = "SUBMISSION.md";

/** What SUBMISSION.md should tell. Contract: "Upload-mode rules". */
export const SUBMISSION_SECTIONS = ["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"] as const;

const encoder = new TextEncoder();

/**
 * Reads the `files` of a quick-submit. Contract: "quick-submit rules".
 *
 * @throws AppError `INVALID_BODY` naming the first path at fault, `FILE_TOO_LARGE` over 25 MB in all.
 */
export function parseFiles(files: Readonly<Record<string, unknown>>): SubmittedFile[] {
	const entries = Object.entries(files);
	if (entries.length === 0 || entries.length > MAX_FILES) throw refusePath("files", `must have 1 to ${MAX_FILES} entries`);
	assertNoCollisions(entries.map(([path]) => path));
	let total = 0;
	return entries.map(([path, value]) => {
		const content = decodeContent(path, value);
		total += content.byteLength;
		if (total > MAX_FILES_BYTES) {
			throw new AppError("FILE_TOO_LARGE", {
				message: `The files may have at most ${MAX_FILES_BYTES} bytes together.`,
				details: { max_bytes: MAX_FILES_BYTES },
			});
		}
		return { path: foldPath(path) === foldPath(SUBMISSION_MD) ? SUBMISSION_MD : path, content };
	});
}

function refusePath(path: string, message: string): AppError {
	return invalidInput("INVALID_BODY", [{ path, message }]);
}

/** Paths that some file system treats as equal, or a file that would also have to be a folder, cannot be unpacked everywhere. */
function assertNoCollisions(paths: readonly string[]): void {
	const seen = new Set<string>();
	for (const path of paths) {
		const fault = findPathFault(path);
		if (fault !== null) throw refusePath(`files[${JSON.stringify(path.slice(0, 200))}]`, fault);
		const folded = foldPath(path);
		if (seen.has(folded)) throw refusePath(`files[${JSON.stringify(path)}]`, "is equal to another path but for case or Unicode form");
		seen.add(folded);
	}
	for (const path of seen) {
		const folder = parentFolders(path).find((parent) => seen.has(parent));
		if (folder !== undefined) throw refusePath(`files[${JSON.stringify(path)}]`, `is inside ${JSON.stringify(folder)}, which is a file`);
	}
}

export function foldPath(path: string): string {
	return path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

export function parentFolders(path: string): string[] {
	const segments = path.split("/");
	return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
}

/** Why a path cannot be taken, or null. A path is relative, with `/` separators and plain segments, at most 512 bytes of UTF-8. */
export function findPathFault(path: string): string | null {
	if (path === "") return "must not be empty";
	if (!path.isWellFormed()) return "must not contain lone surrogates";
	if (hasControlCharacter(path)) return "must not contain NUL or control characters";
	if (encoder.encode(path).byteLength > MAX_PATH_BYTES) return `must have at most ${MAX_PATH_BYTES} bytes`;
	if (path.includes("\\")) return "must use / as its separator";
	if (/^[a-z]:/i.test(path)) return "must not start with a drive letter";
	const segments = path.split("/");
	if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
		return "must be relative, without empty, . or .. segments";
	}
	return null;
}

function hasControlCharacter(path: string): boolean {
	for (let index = 0; index < path.length; index += 1) {
		const code = path.charCodeAt(index);
		if (code < 0x20 || code === 0x7f) return true;
	}
	return false;
}

function decodeContent(path: string, value: unknown): Uint8Array {
	const at = `files[${JSON.stringify(path)}]`;
	if (isText(value)) return encodeText(at, value);
	if (typeof value !== "object" || value === null || !("content" in value) || !isText(value.content)) {
		throw refusePath(at, "must be a string or an object with a string content");
	}
	const encoding = "encoding" in value ? value.encoding : "utf8";
	if ("contentType" in value && value.contentType !== null && !isShortText(value.contentType)) {
		throw refusePath(`${at}.contentType`, `must be a media type of at most ${MAX_CONTENT_TYPE_CHARACTERS} characters`);
	}
	if (encoding === "utf8" || encoding === undefined || encoding === null) return encodeText(at, value.content);
	if (encoding === "base64") return decodeBase64(at, value.content);
	throw refusePath(`${at}.encoding`, "must be utf8 or base64");
}

function isShortText(value: unknown): boolean {
	return typeof value === "string" && value.length <= MAX_CONTENT_TYPE_CHARACTERS;
}

function isText(value: unknown): value is string | LongText {
	return typeof value === "string" || value instanceof LongText;
}

/** The content of a long text stays in the memory of the request's body. */
function encodeText(at: string, content: string | LongText): Uint8Array {
	const isWellFormed = typeof content === "string" ? content.isWellFormed() : content.isWellFormed;
	if (!isWellFormed) throw refusePath(at, "contains lone surrogates; send binary content as base64");
	return typeof content === "string" ? encoder.encode(content) : content.bytes;
}

function decodeBase64(at: string, content: string | LongText): Uint8Array {
	try {
		return typeof content === "string" ? Uint8Array.fromBase64(content) : decodeBase64InPlace(content);
	} catch {
		throw refusePath(`${at}.content`, "is not valid base64");
	}
}

/** The sections of {@link SUBMISSION_SECTIONS} for which a SUBMISSION.md has no heading. */
export function findMissingSections(markdown: string): string[] {
	const headings = markdown.split(/\r?\n/).flatMap((line) => {
		// What closes a heading is punctuation and goes with the rest of it, so that no pattern has to look for the end of the line.
		const heading = /^ {0,3}#{1,6}[ \t](.*)$/s.exec(line)?.[1];
		return heading === undefined ? [] : [normalizeHeading(heading)];
	});
	return SUBMISSION_SECTIONS.filter((section) => !headings.includes(normalizeHeading(section)));
}

/** Compares headings by their words: case, numbering and punctuation around them do not matter. */
function normalizeHeading(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, " ")
		.replace(/^ *\d+ /, "")
		.trim();
}
