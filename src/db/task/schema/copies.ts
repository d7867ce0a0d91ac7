import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** A single row about the copies of this object in the bucket. It exists from the first change on. */
export const copies = sqliteTable("copies", {
	/** Always 1. */
	id: integer("id").primaryKey(),
	/** When the object first changed after its newest copy. Null if it has not changed since. */
	changedAt: integer("changed_at"),
	/** If true, the next copy is made at once, because the previous copy contains erased data. */
	isUrgent: integer("is_urgent", { mode: "boolean" }).notNull().default(false),
	/** The newest complete copy: its name in the bucket, the time of its state, and its digest. Null before the first one. */
	revision: text("revision"),
	copiedAt: integer("copied_at"),
	digest: text("digest"),
	/** The copy that is being made: its name, its pages so far, and the last row of each table in them. Null if there is none. */
	underWay: text("under_way"),
	/** True if objects of older copies still have to be deleted. */
	mustClean: integer("must_clean", { mode: "boolean" }).notNull().default(false),
	/** How often the bucket has failed since the last success. The next try is due at `nextTryAt`. */
	tries: integer("tries").notNull().default(0),
	nextTryAt: integer("next_try_at").notNull().default(0),
	/** The name of the copy that the object was filled from. Null if it never was. */
	restoredFrom: text("restored_from"),
});

/** Rows that were added while a copy was being made, after it had already copied the pages that they belong to. `key` is JSON. */
export const copiedLater = sqliteTable("copied_later", { table: text("table_name").notNull(), key: text("key").notNull() }, (table) => [
	primaryKey({ columns: [table.table, table.key] }),
]);
