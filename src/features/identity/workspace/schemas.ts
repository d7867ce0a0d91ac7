// What the workspace looks like on the wire: the schemas that contract.ts puts into endpoints.
import * as z from "zod";
import { count, headerText, MAX_HEADER_CHARACTERS, timestamp } from "../../../http/fields.ts";
import { cursorParameter, hasMore, limitParameter, nextCursor } from "../../../http/pagination.ts";
import {
	CONTENT_TYPE_SCHEMA,
	ENTRY_LIMITS,
	FILE_LIMITS,
	findFilePathFault,
	findPathFault,
	findPrefixFault,
	isContentType,
	MAX_PATH_LENGTH,
	parseEntityTags,
	RESERVED_FILE_PATHS,
} from "./rules.ts";

/** Room for a value of 1 MB in which every character is escaped. */
export const ENTRY_BODY_LIMIT_BYTES = 6 * ENTRY_LIMITS.valueBytes + 65_536;
/** Room for 4 MB in base64 with line breaks. */
export const FILE_BODY_LIMIT_BYTES = 1.5 * FILE_LIMITS.directBytes + 65_536;

/** A string that a rule finds nothing wrong with. */
function ruled(findFault: (text: string) => string | null, meta: Readonly<Record<string, unknown>>) {
	return z
		.string()
		.superRefine((text, context) => {
			const fault = findFault(text);
			if (fault !== null) context.addIssue({ code: "custom", message: fault });
		})
		.meta(meta);
}

/** Anything but `.` and `..`. */
const SEGMENT = "(\\.{0,2}[A-Za-z0-9_:-][A-Za-z0-9._:-]*|\\.{3}[A-Za-z0-9._:-]*)";
const pathSchema = { minLength: 1, maxLength: MAX_PATH_LENGTH, pattern: `^${SEGMENT}(/${SEGMENT})*$` };
const PATH_RULE = "Segments of letters, digits and `. _ - :`, separated by `/`. No segment is empty, `.` or `..`.";
export const entryKey = ruled(findPathFault, { ...pathSchema, description: `The entry's key. ${PATH_RULE}` });
export const filePath = ruled(findFilePathFault, {
	...pathSchema,
	not: { enum: RESERVED_FILE_PATHS },
	description: `The file's path. ${PATH_RULE}`,
});

export const contentType = z
	.string()
	.refine(isContentType, "must be a media type such as text/plain; charset=utf-8")
	.meta(CONTENT_TYPE_SCHEMA);

/** {@link parseEntityTags} as a pattern. */
const ENTITY_TAGS_PATTERN = '^\\s*(\\*|(W/)?"[^"]*"(\\s*,\\s*(W/)?"[^"]*")*)\\s*$';

export function entityTags(description: string) {
	return headerText
		.transform((header, context) => {
			const tags = parseEntityTags(header);
			if (tags !== null) return tags;
			context.addIssue({ code: "custom", message: 'must be * or entity tags in double quotes, as in "12"' });
			return z.NEVER;
		})
		.optional()
		.meta({ description, override: { type: "string", minLength: 1, maxLength: MAX_HEADER_CHARACTERS, pattern: ENTITY_TAGS_PATTERN } });
}

export const writeConditions = z.object({
	"if-match": entityTags("Changes the entry only if its ETag is one of these. `*` stands for any existing entry."),
	"if-none-match": entityTags("`*` changes the entry only if it does not exist yet."),
});

export const anyJson = z
	.custom<unknown>((value) => value !== undefined, "is required; it may be any JSON, null included")
	.meta({ override: {}, description: "Any JSON value, null included." });

export const entryFacts = z.object({
	key: z.string().describe("The entry's key."),
	size_bytes: count.describe("Size of the value's JSON in bytes."),
	created_at: timestamp.describe("When the entry was created."),
	updated_at: timestamp.describe("When the entry was last written."),
});

export const entryView = entryFacts.extend({ value: anyJson }).meta({ id: "WorkspaceEntry", description: "A value under a key." });

export const fileView = z
	.object({
		path: z.string().describe("The file's path."),
		size_bytes: count.describe("Size of the file in bytes."),
		content_type: z.string().describe("The media type that the file is served with."),
		created_at: timestamp.describe("When the file was created."),
		updated_at: timestamp.describe("When the file was last replaced."),
	})
	.meta({ id: "WorkspaceFile", description: "A file without its bytes." });

/** The lists of the workspace have their page fields next to `data`. `meaning` says what the items are and in which order. */
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

/** What to call when the bytes of an upload have arrived. */
export const finalizeUrl = z.url().describe("POST to this URL once the bytes have arrived.");
export const finalizeMethod = z.literal("POST").describe("The method for `finalize_url`.");

export const deletion = z.object({ deleted: z.boolean().describe("Whether there was something to delete.") });
