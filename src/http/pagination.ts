import * as z from "zod";
import { AppError } from "../domain/errors.ts";
import { decryptToken, encryptToken, type TokenScope } from "../platform/encryption.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { PageBefore } from "../ports/database.ts";
import { uuid } from "./fields.ts";

/** Returns the schema of a list's `limit`, a whole number in decimal digits. */
export function limitParameter({ max, default: fallback }: { max: number; default: number }) {
	return z
		.string()
		.regex(/^\d{1,6}$/, `must be a whole number from 1 to ${max}`)
		.transform(Number)
		.pipe(z.number().int().min(1).max(max))
		.default(fallback)
		.meta({
			description: `How many items to return, at most ${max}.`,
			override: { type: "integer", minimum: 1, maximum: max, default: fallback },
		});
}

/** Enough for the cursor of every list. The longest contains a workspace path of 512 characters, in base64. */
const MAX_CURSOR_CHARACTERS = 1_000;

export const cursorParameter = z
	.string()
	.min(1)
	.max(MAX_CURSOR_CHARACTERS)
	.optional()
	.describe("The `next_cursor` of the previous page. Leave it out for the first page.");

/** The query of a list without filters. */
export const pageQuery = z.object({ limit: limitParameter({ max: 100, default: 20 }), cursor: cursorParameter });

export const hasMore = z.boolean().describe("Whether there is another page.");
export const nextCursor = z.string().nullable().describe("Send it as `cursor` to get the next page. Null on the last page.");

const pagination = z
	.object({ has_more: hasMore, next_cursor: nextCursor })
	.meta({ id: "Pagination", description: "Whether a list has another page, and how to get it." });

/** Returns the schema of a page of a v1 list. `meaning` describes the items and their order. */
export function pageOf<Item extends z.ZodType>(item: Item, meaning: string) {
	return z.object({
		data: z.array(item).describe(meaning),
		pagination: pagination.describe("Whether the list has another page, and how to get it."),
	});
}

/** Encodes the last row's sort key as an opaque cursor. */
export function encodeCursor(parts: readonly (string | number)[]): string {
	return btoa(JSON.stringify(parts)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Decodes a cursor that {@link encodeCursor} returned. Returns null without a cursor.
 *
 * @throws AppError `VALIDATION_ERROR` for anything else.
 */
export function decodeCursor<Schema extends z.ZodType>(cursor: string | undefined, schema: Schema): z.output<Schema> | null {
	if (cursor === undefined) return null;
	try {
		return schema.parse(JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))));
	} catch (cause) {
		throw invalidCursor(cause);
	}
}

/**
 * Decodes the cursor of a list that is ordered by id. Returns the id of the last item on the page before, or null for the first page.
 *
 * @throws AppError `VALIDATION_ERROR` for a malformed cursor.
 */
export function decodeIdCursor(cursor: string | undefined, id: z.ZodType<string> = uuid): string | null {
	return decodeCursor(cursor, z.tuple([id]))?.[0] ?? null;
}

/** Encrypts the cursor of a list whose sort key must stay hidden from readers. */
export async function encryptCursor(keys: Keyring, scope: TokenScope, cursor: string | null): Promise<string | null> {
	return cursor === null ? null : encryptToken(keys, scope, cursor);
}

/** Decrypts the cursor of a request. @throws AppError `VALIDATION_ERROR` unless {@link encryptCursor} has created it for this scope. */
export async function decryptCursor(keys: Keyring, scope: TokenScope, cursor: string | undefined): Promise<string | undefined> {
	if (cursor === undefined) return undefined;
	const plainCursor = await decryptToken(keys, scope, cursor);
	if (plainCursor === null) throw invalidCursor();
	return plainCursor;
}

export function invalidCursor(cause?: unknown): AppError {
	const message = "cursor was not returned by this list. Send next_cursor unchanged, or leave it out.";
	return new AppError("VALIDATION_ERROR", { message, details: [{ path: "cursor", message }], cause });
}

/**
 * Reads a page of a v1 list, newest first, as {@link pageOf} describes it.
 *
 * @param select Selects the rows of a page. Its `limit` is one more than the request's, to find out whether there is another page.
 * @param id The schema of the items' ids. Default: UUIDs.
 * @throws AppError `VALIDATION_ERROR` for a malformed cursor.
 */
export async function readPageBefore<Row extends { readonly id: string }, View>(
	{ limit, cursor }: z.output<typeof pageQuery>,
	{
		select,
		view,
		id = uuid,
	}: {
		readonly select: (page: PageBefore) => Promise<readonly Row[]>;
		readonly view: (row: Row) => View;
		readonly id?: z.ZodType<string>;
	},
): Promise<{ data: View[]; pagination: z.output<typeof pagination> }> {
	return viewPage(await select({ before: decodeIdCursor(cursor, id), limit: limit + 1 }), limit, { view, cursorOf: (last) => [last.id] });
}

/** The maximum JSON size of a page in any list. With long items, a page has fewer items than its limit, but at least one. */
export const MAX_PAGE_BYTES = 2 * 1_048_576;
/** Added to each item's size: in the response, an item is larger than its row, because of field names and times as text. */
const ITEM_BYTES = 700;

const encoder = new TextEncoder();

/** Counts how many of the first `limit` items fit into {@link MAX_PAGE_BYTES}. */
export function countFitting(items: readonly unknown[], limit: number): number {
	let left = MAX_PAGE_BYTES;
	const tooMany = items.slice(0, limit).findIndex((item) => {
		left -= encoder.encode(JSON.stringify(item) ?? "").byteLength + ITEM_BYTES;
		return left < 0;
	});
	return tooMany === -1 ? Math.min(items.length, limit) : Math.max(1, tooMany);
}

/**
 * Makes a page from `limit + 1` rows, so that `has_more` needs no count.
 *
 * @param limit The maximum number of rows on the page. Pass `items` if the items of the response are not the rows themselves.
 * @param cursorOf Returns the cursor of the next page, from the last row of this page and the number of its rows.
 */
export function pageRows<Row>(
	rows: readonly Row[],
	limit: number | { readonly limit: number; readonly items: readonly unknown[] },
	cursorOf: (last: Row, count: number) => string,
) {
	const { limit: most, items } = typeof limit === "number" ? { limit, items: rows } : limit;
	const page = rows.slice(0, countFitting(items, most));
	const last = page.at(-1);
	const hasMore = rows.length > page.length;
	return { rows: page, pagination: { has_more: hasMore, next_cursor: hasMore && last !== undefined ? cursorOf(last, page.length) : null } };
}

/** Makes the page of a v1 list, as {@link pageOf} describes it, from `limit + 1` rows. */
export function viewPage<Row, View>(
	rows: readonly Row[],
	limit: number,
	{ view, cursorOf }: { readonly view: (row: Row) => View; readonly cursorOf: (last: Row) => readonly (string | number)[] },
): { data: View[]; pagination: z.output<typeof pagination> } {
	const views = rows.slice(0, limit).map(view);
	const page = pageRows(rows, { limit, items: views }, (last) => encodeCursor(cursorOf(last)));
	return { data: views.slice(0, page.rows.length), pagination: page.pagination };
}
