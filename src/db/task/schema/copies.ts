import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** A single row about the copies of this object in the bucket. It is written with the object's first change. */
export const copies = sqliteTable("copies", {
	/** Always 1. */
	id: integer("id").primaryKey(),
	/** When the object first changed after its newest copy. Null if it has not changed since that copy. */
	changedAt: integer("changed_at"),
	/** True if the next copy must be made at once, because the previous one contains erased data. */
	isUrgent: integer("is_urgent", { mode: "boolean" }).notNull().default(false),
	/**
	 * The newest complete copy: its name in the bucket, the time of the state that it contains, and its digest. Null before the first one.
	 */
	revision: text("revision"),
	copiedAt: integer("copied_at"),
	digest: text("digest"),
	/**
	 * The copy that is being made: its name, its pages so far, and the last row of each table that they contain. Null if none is being made.
	 */
	underWay: text("under_way"),
	/** True if objects of older copies still have to be deleted. */
	mustClean: integer("must_clean", { mode: "boolean" }).notNull().default(false),
	/** How often in a row the bucket has failed. The next try is due at `nextTryAt`. */
	tries: integer("tries").notNull().default(0),
	nextTryAt: integer("next_try_at").notNull().default(0),
	/** The name of the copy from which the object was filled. Null if it was not. */
	restoredFrom: text("restored_from"),
});

/** Rows that were added, while a copy was being made, to pages that had already been copied. `key` is JSON. */
export const copiedLater = sqliteTable("copied_later", { table: text("table_name").notNull(), key: text("key").notNull() }, (table) => [
	primaryKey({ columns: [table.table, table.key] }),
]);
