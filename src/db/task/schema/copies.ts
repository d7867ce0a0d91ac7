import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The one row is about the copies of this object in the bucket. It is there from the first change on. */
export const copies = sqliteTable("copies", {
	/** The row has the number 1. */
	id: integer("id").primaryKey(),
	/** The object first changed at this time after the state of its newest copy. Null if it has not. */
	changedAt: integer("changed_at"),
	/** The next copy does not wait for its time, because the copy before it has what was erased. */
	isUrgent: integer("is_urgent", { mode: "boolean" }).notNull().default(false),
	/** The newest whole copy has this name in the bucket, shows the object at this time, and has this digest. Null before the first one. */
	revision: text("revision"),
	copiedAt: integer("copied_at"),
	digest: text("digest"),
	/** A copy is being made: its name, its pages so far, and the last row of each table that they have. Null otherwise. */
	underWay: text("under_way"),
	/** Objects of other copies than the newest one must still be deleted. */
	mustClean: integer("must_clean", { mode: "boolean" }).notNull().default(false),
	/** The bucket has failed this often since the last success. The next try is due at `nextTryAt`. */
	tries: integer("tries").notNull().default(0),
	nextTryAt: integer("next_try_at").notNull().default(0),
	/** The object was filled from the copy of this name. Null if it never was. */
	restoredFrom: text("restored_from"),
});

/** These rows were added to tables while a copy was under way that has the pages around them already. `key` is JSON. */
export const copiedLater = sqliteTable("copied_later", { table: text("table_name").notNull(), key: text("key").notNull() }, (table) => [
	primaryKey({ columns: [table.table, table.key] }),
]);
