import { matchesTag } from "../../../domain/entity-tags.ts";
import { MINUTE_MS } from "../../../platform/clock.ts";
import type { Precondition, QuotaRefusal, QuotaUsage } from "../../../ports/workspace.ts";

const MB = 1_048_576;

/** The time limit for uploading one blob. It is shorter than the blob's reservation, so that the Worker stops first. */
export const PUT_TIME_LIMIT_MS = 15 * MINUTE_MS;

export const ENTRY_LIMITS = { count: 10_000, bytes: 10 * MB, valueBytes: MB } as const;

/** `directBytes` is the limit for a file in one request, without a signed URL. */
export const FILE_LIMITS = { count: 1_000, bytes: 100 * MB, fileBytes: 25 * MB, directBytes: 4 * MB } as const;

/** The maximum number of upload URLs per agent that have neither expired nor led to a file, so that they cannot accumulate. */
export const MAX_OPEN_UPLOADS = 200;

export const MAX_PATH_LENGTH = 512;
const SEGMENT = /^[A-Za-z0-9._:-]+$/;

/** These paths below `files/` are endpoints. A file with such a path could be stored, but not read or deleted. */
export const RESERVED_FILE_PATHS: readonly string[] = ["finalize", "quota", "upload-url"];

/**
 * Returns why a string is not a valid key or path, or null if it is valid. Both consist of segments of `A-Z a-z 0-9 . _ - :` with `/`
 * between them, at most 512 characters in total.
 */
export function findPathFault(path: string): string | null {
	if (path.length === 0 || path.length > MAX_PATH_LENGTH) return `must have 1 to ${MAX_PATH_LENGTH} characters`;
	const segments = path.split("/");
	if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
		return "must not start or end with /, or contain a segment that is empty, . or ..";
	}
	return segments.every((segment) => SEGMENT.test(segment)) ? null : "may contain only letters, digits and . _ - : /";
}

/** Like {@link findPathFault}, but for the path of a file, which must not be the path of an endpoint. */
export function findFilePathFault(path: string): string | null {
	if (RESERVED_FILE_PATHS.includes(path)) return `must not be ${path}, because that is the path of an endpoint; put the file into a folder`;
	return findPathFault(path);
}

/** Returns what is wrong with the prefix of keys or paths in a query, or null. Checks only its length and its characters. */
export function findPrefixFault(prefix: string): string | null {
	if (prefix.length > MAX_PATH_LENGTH) return `must have at most ${MAX_PATH_LENGTH} characters`;
	return /^[A-Za-z0-9._:/-]*$/.test(prefix) ? null : "may contain only letters, digits and . _ - : /";
}

/**
 * Returns the error code of the quota that storing a value or file would exceed, or null if it fits.
 *
 * @param replacedBytes The size of the value or file that would be replaced. Null if there is none.
 */
export function findQuotaRefusal({
	used,
	limits,
	sizeBytes,
	replacedBytes,
}: {
	readonly used: QuotaUsage;
	readonly limits: QuotaUsage;
	readonly sizeBytes: number;
	readonly replacedBytes: number | null;
}): QuotaRefusal | null {
	if (replacedBytes === null && used.count >= limits.count) return "FILE_QUOTA_EXCEEDED";
	return used.bytes - (replacedBytes ?? 0) + sizeBytes > limits.bytes ? "BYTE_QUOTA_EXCEEDED" : null;
}

/** Returns true if the preconditions of a request allow the write (RFC 9110, section 13.1). */
export function holdsPrecondition({ ifMatch, ifNoneMatch }: Precondition, current: string | null): boolean {
	if (ifMatch !== null && !matchesTag(ifMatch, current)) return false;
	return ifNoneMatch === null || !matchesTag(ifNoneMatch, current);
}

/** Matches the media types that a browser shows without running code from the file. */
const INERT_TYPES = /^(text\/(plain|csv|markdown)|application\/json|image\/(png|jpeg|gif|webp|avif)|(audio|video)\/[\w.+-]+)$/;

/** Returns true if a browser may show a file of this type. Any other file is downloaded, because it could be a page with scripts. */
export function canShow(contentType: string): boolean {
	return INERT_TYPES.test(contentType.split(";")[0]?.trim().toLowerCase() ?? "");
}

const MAX_CONTENT_TYPE_LENGTH = 255;
/** Matches a type, a subtype and parameters that consist of characters allowed in headers. */
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=([\w!#$&^.+:/-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/;

/** JSON Schema keywords that accept the same strings as {@link isContentType}. */
export const CONTENT_TYPE_SCHEMA = { minLength: 3, maxLength: MAX_CONTENT_TYPE_LENGTH, pattern: CONTENT_TYPE.source };

export function isContentType(text: string): boolean {
	return text.length <= MAX_CONTENT_TYPE_LENGTH && CONTENT_TYPE.test(text);
}
