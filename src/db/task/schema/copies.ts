import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** A single row about the copies of this object's tables in the bucket. It is written with the object's first change. */
export const copies = sqliteTable("copies", {
	/** Always 1. */
	id: integer("id").primaryKey(),
	/** When the object first changed after its newest copy was made. Null if it has not changed since then. */
	changedAt: integer("changed_at"),
	/** True if the next copy must be made at once, because the previous one contains erased data. */
	isUrgent: integer("is_urgent", { mode: "boolean" }).notNull().default(false),
	/**
	 * The newest complete copy: its name in the bucket, the time as of which it shows the object, and its digest. Null before the first copy.
	 */
	revision: text("revision"),
	copiedAt: integer("copied_at"),
	digest: text("digest"),
	/**
	 * The copy that is being made: its name, the pages that are ready, and the last row of each table that is in these pages. Null if no copy
	 * is being made.
	 */
	underWay: text("under_way"),
	/** True if files of older copies still have to be deleted from the bucket. */
	mustClean: integer("must_clean", { mode: "boolean" }).notNull().default(false),
	/** The number of failed tries to write to the bucket in a row. The next try is due at `nextTryAt`. */
	tries: integer("tries").notNull().default(0),
	nextTryAt: integer("next_try_at").notNull().default(0),
	/** The name of the copy from which the object was restored. Null if it never was. */
	restoredFrom: text("restored_from"),
});

/** The rows that were added while a copy was being made, at places in their tables that the copy had already passed. `key` is JSON. */
export const copiedLater = sqliteTable("copied_later", { table: text("table_name").notNull(), key: text("key").notNull() }, (table) => [
	primaryKey({ columns: [table.table, table.key] }),
]);
