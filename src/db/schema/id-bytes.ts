// The directory has more submission cards than other rows. Each card has four ids, and indexes repeat them. So submission cards store ids
// as 16 bytes instead of 36 characters. In the code and in all other tables, ids are text.
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { customType } from "drizzle-orm/sqlite-core";

/**
 * Defines a column of UUIDs that are stored as bytes. Drizzle returns and accepts its values as text. To compare it with a column of text,
 * use {@link bytesOf}.
 */
export const idBytes = customType<{ data: string; driverData: ArrayBuffer | readonly number[] }>({
	dataType: () => "blob",
	toDriver: bytesOf,
	fromDriver: formatId,
});

/** Converts a UUID from text to bytes. The result is null, which equals nothing in SQL, if the text is not hex with hyphens. */
export function bytesOf(id: string | SQL | AnyColumn): SQL {
	return sql`unhex(replace(${id}, '-', ''))`;
}

/** Converts a UUID from bytes to text. */
export function textOf(column: string | AnyColumn): SQL<string> {
	const hex = sql`lower(hex(${typeof column === "string" ? sql.raw(column) : column}))`;
	return sql`printf('%s-%s-%s-%s-%s', substr(${hex}, 1, 8), substr(${hex}, 9, 4), substr(${hex}, 13, 4), substr(${hex}, 17, 4), substr(${hex}, 21))`;
}

/** Formats a UUID. D1 returns its bytes as a list of numbers. */
function formatId(stored: ArrayBuffer | readonly number[]): string {
	const hex = new Uint8Array(stored).toHex();
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
