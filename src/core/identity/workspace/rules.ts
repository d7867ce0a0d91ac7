import { matchesTag } from "../../../domain/entity-tags.ts";
import { MINUTE_MS } from "../../../platform/clock.ts";
import type { Precondition, QuotaRefusal, QuotaUsage } from "../../../ports/workspace.ts";

const MB = 1_048_576;

/** Putting one blob may take this long. The Worker gives up then, before the reservation ends. */
export const PUT_TIME_LIMIT_MS = 15 * MINUTE_MS;

export const ENTRY_LIMITS = { count: 10_000, bytes: 10 * MB, valueBytes: MB } as const;

/** `directBytes` is what one call takes without a signed URL. */
export const FILE_LIMITS = { count: 1_000, bytes: 100 * MB, fileBytes: 25 * MB, directBytes: 4 * MB } as const;

/** An agent may have this many unfinished signed uploads, so that they cannot pile up. */
export const MAX_OPEN_UPLOADS = 200;

export const MAX_PATH_LENGTH = 512;
const SEGMENT = /^[A-Za-z0-9._:-]+$/;

/** These paths below `files/` are endpoints. A file of such a name could be stored, but not read or deleted. */
export const RESERVED_FILE_PATHS: readonly string[] = ["finalize", "quota", "upload-url"];

/**
 * Returns the reason why a text is not a key or path, or null. Both are segments of `A-Z a-z 0-9 . _ - :` with `/` between them, 512
 * characters in all.
 */
export function findPathFault(path: string): string | null {
	if (path.length === 0 || path.length > MAX_PATH_LENGTH) return `must have 1 to ${MAX_PATH_LENGTH} characters`;
	const segments = path.split("/");
	if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
		return "must not start or end with /, nor have empty, . or .. segments";
	}
	return segments.every((segment) => SEGMENT.test(segment)) ? null : "may contain letters, digits and . _ - : / only";
}

/** Does the same as {@link findPathFault} for a file, whose path must not be that of another endpoint. */
export function findFilePathFault(path: string): string | null {
	if (RESERVED_FILE_PATHS.includes(path)) return `must not be ${path}, which is an endpoint of its own; put the file into a folder`;
	return findPathFault(path);
}

/** Returns the reason why no key or path can start with a text, or null. */
export function findPrefixFault(prefix: string): string | null {
	if (prefix.length > MAX_PATH_LENGTH) return `must have at most ${MAX_PATH_LENGTH} characters`;
	return /^[A-Za-z0-9._:/-]*$/.test(prefix) ? null : "may contain letters, digits and . _ - : / only";
}

/**
 * Returns the quota that a new entry or a replacement (which counts once) would exceed, or null if there is none.
 *
 * @param replacedBytes What is replaced has this many bytes. Null for something new.
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

/** Returns true if a write may go ahead. RFC 9110, 13.1. */
export function holdsPrecondition({ ifMatch, ifNoneMatch }: Precondition, current: string | null): boolean {
	if (ifMatch !== null && !matchesTag(ifMatch, current)) return false;
	return ifNoneMatch === null || !matchesTag(ifNoneMatch, current);
}

/** A browser shows these types without running anything in them. */
const INERT_TYPES = /^(text\/(plain|csv|markdown)|application\/json|image\/(png|jpeg|gif|webp|avif)|(audio|video)\/[\w.+-]+)$/;

/** Returns true if a browser may show a file of this type. Anything that could be a page with scripts is downloaded instead. */
export function canShow(contentType: string): boolean {
	return INERT_TYPES.test(contentType.split(";")[0]?.trim().toLowerCase() ?? "");
}

const MAX_CONTENT_TYPE_LENGTH = 255;
/** Matches a type, a subtype and parameters, in characters that a header can carry. */
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=([\w!#$&^.+:/-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/;

/** These JSON Schema keywords accept the same texts as {@link isContentType}. */
export const CONTENT_TYPE_SCHEMA = { minLength: 3, maxLength: MAX_CONTENT_TYPE_LENGTH, pattern: CONTENT_TYPE.source };

export function isContentType(text: string): boolean {
	return text.length <= MAX_CONTENT_TYPE_LENGTH && CONTENT_TYPE.test(text);
}
