import { type AttachmentExtension, describeConversion, extensionOf, listExtensions } from "../../../domain/attachment-types.ts";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { isOneLine, ONE_LINE_RULE } from "../../../domain/one-line.ts";
import { isJsonText } from "../../../domain/strict-json.ts";

export const MAX_ATTACHMENT_BYTES = 10 * 1_048_576;
export const MAX_ATTACHMENTS = 10;

const MAX_FILENAME_CHARACTERS = 255;

const startsWith =
	(...signature: readonly number[]) =>
	(bytes: Uint8Array): boolean =>
		signature.every((byte, index) => bytes[index] === byte);

const isPng = startsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const isJpeg = startsWith(0xff, 0xd8, 0xff);
const isPdf = startsWith(0x25, 0x50, 0x44, 0x46, 0x2d);
const isRiff = startsWith(0x52, 0x49, 0x46, 0x46);
const isWebp = (bytes: Uint8Array): boolean => isRiff(bytes) && startsWith(0x57, 0x45, 0x42, 0x50)(bytes.subarray(8));
const isText = (bytes: Uint8Array): boolean => !isPdf(bytes) && decodePrintableText(bytes) !== null;
const isJson = (bytes: Uint8Array): boolean => isJsonText(decodePrintableText(bytes) ?? "");

interface FileType {
	readonly contentType: string;
	readonly matches: (bytes: Uint8Array) => boolean;
}

export const FILE_TYPES: Readonly<Record<AttachmentExtension, FileType>> = {
	csv: { contentType: "text/csv", matches: isText },
	json: { contentType: "application/json", matches: isJson },
	png: { contentType: "image/png", matches: isPng },
	jpg: { contentType: "image/jpeg", matches: isJpeg },
	jpeg: { contentType: "image/jpeg", matches: isJpeg },
	webp: { contentType: "image/webp", matches: isWebp },
	pdf: { contentType: "application/pdf", matches: isPdf },
	txt: { contentType: "text/plain", matches: isText },
};

/** Decodes UTF-8 text. Returns null for anything else, and for text with control characters other than line breaks, tabs and form feeds. */
function decodePrintableText(bytes: Uint8Array): string | null {
	try {
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
		// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters distinguish binary data from text
		return /[\0-\x08\x0b\x0e-\x1f\x7f]/.test(text) ? null : text;
	} catch {
		return null;
	}
}

/**
 * Returns the media type that belongs to a file's extension, if the file's content matches that type.
 *
 * @throws AppError `UNSUPPORTED_FILE_TYPE`.
 */
export function fileTypeOf(filename: string, bytes: Uint8Array): string {
	const extension = extensionOf(filename);
	const type = Object.entries(FILE_TYPES).find(([name]) => name === extension)?.[1];
	if (type === undefined) throw unsupportedType(filename);
	if (type.matches(bytes)) return type.contentType;
	throw new AppError("UNSUPPORTED_FILE_TYPE", {
		message: `The content of the file does not match .${extension}. Text files must be UTF-8 without control characters.`,
	});
}

function unsupportedType(filename: string): AppError {
	return new AppError("UNSUPPORTED_FILE_TYPE", {
		message: `Attachments must be ${listExtensions()} files. ${describeConversion(filename)}`,
	});
}

/**
 * Returns a name for a file that was sent without a name. Its extension matches the media type that the client declared.
 *
 * @throws AppError `UNSUPPORTED_FILE_TYPE`.
 */
export function defaultFilenameOf(mediaType: string): string {
	const [extension] = Object.entries(FILE_TYPES).find(([, type]) => type.contentType === mediaType) ?? [];
	if (extension === undefined) throw unsupportedType("");
	return `file.${extension}`;
}

/**
 * Returns the last segment of the filename that the client sent, without invisible characters.
 *
 * @throws AppError `VALIDATION_ERROR` if the name fails {@link isOneLine}, or if no character or too many are left.
 */
export function cleanFilename(sent: string): string {
	if (!isOneLine(sent))
		throw invalidInput("VALIDATION_ERROR", [{ path: "file", message: `has a name that is not allowed: it ${ONE_LINE_RULE}` }]);
	const segment = sent.slice(Math.max(sent.lastIndexOf("/"), sent.lastIndexOf("\\")) + 1);
	const name = segment
		.toWellFormed()
		.normalize("NFC")
		.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
		.trim();
	if (name === "" || [...name].length > MAX_FILENAME_CHARACTERS) {
		throw invalidInput("VALIDATION_ERROR", [{ path: "file", message: `needs a filename of 1 to ${MAX_FILENAME_CHARACTERS} characters` }]);
	}
	return name;
}

const TEXT_TYPES: ReadonlySet<string> = new Set(["text/plain", "text/csv", "application/json"]);
/** The judge sees at most this much of an attachment. */
const MAX_JUDGED_BYTES = 1_048_576;

/** Returns the text that the judge reads. Null if the file is not text. */
export function judgedTextOf(contentType: string, bytes: Uint8Array): string | null {
	if (!TEXT_TYPES.has(contentType)) return null;
	// With `stream`, the decoder drops a character that the limit cuts in half.
	return new TextDecoder().decode(bytes.subarray(0, MAX_JUDGED_BYTES), { stream: bytes.byteLength > MAX_JUDGED_BYTES });
}

/** Adds `charset=utf-8` to text types, because browsers would otherwise guess the encoding. */
export function servedContentType(contentType: string): string {
	return contentType.startsWith("text/") || contentType === "application/json" ? `${contentType}; charset=utf-8` : contentType;
}

/** @throws AppError `ATTACHMENT_LIMIT`. */
export function assertRoomForAttachment(count: number): void {
	if (count >= MAX_ATTACHMENTS) throw new AppError("ATTACHMENT_LIMIT");
}
