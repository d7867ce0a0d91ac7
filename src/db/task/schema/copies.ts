import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** A single row about the copies of this object in the bucket. It exists from the first change on. */
export const copies = sqliteTable("copies", {
	/** Always 1. */
	id: integer("id").primaryKey(),
	/** The object first changed at this time after the state of its newest copy. Null if it has not. */
	changedAt: integer("changed_at"),
	/** If true, the next copy is made at once, because the previous copy contains erased data. */
	isUrgent: integer("is_urgent", { mode: "boolean" }).notNull().default(false),
	/** The newest complete copy: its name in the bucket, the time of its state, and its digest. Null before the first one. */
	revision: text("revision"),
	copiedAt: integer("copied_at"),
	digest: text("digest"),
	/** A copy is being made: its name, its pages so far, and the last row of each table that they have. Null otherwise. */
	underWay: text("under_way"),
	/** True if objects of older copies still have to be deleted. */
	mustClean: integer("must_clean", { mode: "boolean" }).notNull().default(false),
	/** How often the bucket has failed since the last success. The next try is due at `nextTryAt`. */
	tries: integer("tries").notNull().default(0),
	nextTryAt: integer("next_try_at").notNull().default(0),
	/** The object was filled from the copy of this name. Null if it never was. */
	restoredFrom: text("restored_from"),
});

/** Rows that were added during a copy that already has the pages around them. `key` is JSON. */
export const copiedLater = sqliteTable("copied_later", { table: text("table_name").notNull(), key: text("key").notNull() }, (table) => [
	primaryKey({ columns: [table.table, table.key] }),
]);
