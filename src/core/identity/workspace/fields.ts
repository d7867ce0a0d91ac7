// Fields, headers, lists and errors that entries and files share.
import * as z from "zod";
import { AppError } from "../../../domain/errors.ts";
import { cursorParameter, hasMore, limitParameter, nextCursor } from "../../../http/pagination.ts";
import type { QuotaRefusal } from "../../../ports/workspace.ts";
import { ENTRY_LIMITS, FILE_LIMITS, findPathFault, findPrefixFault, MAX_PATH_LENGTH } from "./rules.ts";

export function ruled(findFault: (text: string) => string | null, meta: Readonly<Record<string, unknown>>) {
	return z
		.string()
		.superRefine((text, context) => {
			const fault = findFault(text);
			if (fault !== null) context.addIssue({ code: "custom", message: fault });
		})
		.meta(meta);
}

/** Matches a segment of a path, but not `.` or `..`. */
const SEGMENT = "(\\.{0,2}[A-Za-z0-9_:-][A-Za-z0-9._:-]*|\\.{3}[A-Za-z0-9._:-]*)";
export const pathSchema = { minLength: 1, maxLength: MAX_PATH_LENGTH, pattern: `^${SEGMENT}(/${SEGMENT})*$` };
export const PATH_RULE = "Segments of letters, digits and `. _ - :`, separated by `/`. Segments must not be empty, `.` or `..`.";
export const SLASHES = "You can send a `/` in the key or path unescaped or as `%2F`.";

export const ENTRY_ETAG = { ETag: "Identifies this version. Send it back in If-Match or If-None-Match." } as const;

/** The schema of a response with a list. `meaning` describes the items and their order. */
export function listOf<Item extends z.ZodType>(item: Item, meaning: string) {
	return z.object({ data: z.array(item).describe(meaning), has_more: hasMore, next_cursor: nextCursor });
}

export const listQuery = z.object({
	prefix: ruled(findPrefixFault, { maxLength: MAX_PATH_LENGTH, pattern: "^[A-Za-z0-9._:/-]*$" })
		.default("")
		.describe("Only keys or paths that start with this."),
	limit: limitParameter({ max: 200, default: 50 }),
	cursor: cursorParameter,
});

/**
 * A cursor contains the last key or path of the previous page. The next page starts after it, even if that entry or file has been deleted.
 */
export function positionCursor(list: "keys" | "files") {
	return z.tuple([z.literal(list), z.string().refine((text) => findPathFault(text) === null)]);
}

export const deletion = z.object({ deleted: z.boolean().describe("Whether anything was deleted.") });

const LIMITS = { entries: ENTRY_LIMITS, files: FILE_LIMITS } as const;
const NOUNS = {
	entries: { many: "keys", quota: "/api/v1/workspace/quota" },
	files: { many: "files", quota: "/api/v1/workspace/files/quota" },
};

/** Builds the error for a write that would exceed a quota. */
export function quotaExceeded(code: QuotaRefusal, kind: keyof typeof LIMITS): AppError {
	const { count, bytes } = LIMITS[kind];
	const { many, quota } = NOUNS[kind];
	const limit = code === "FILE_QUOTA_EXCEEDED" ? `${count} ${many}` : `${bytes} bytes of ${many}`;
	return new AppError(code, {
		message: `This would exceed your workspace's limit of ${limit}. GET ${quota} shows how much is used.`,
	});
}

/** Builds the error for a value, a file or a direct upload that is too large. */
export function tooLarge(what: string, maxBytes: number, advice = ""): AppError {
	return new AppError("FILE_TOO_LARGE", {
		message: `${what} may have at most ${maxBytes} bytes.${advice}`,
		details: { max_bytes: maxBytes },
	});
}
