import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How far the collector of stored objects has come under each prefix of the bucket. */
export const collectorCursors = sqliteTable("collector_cursors", {
	prefix: text("prefix").primaryKey(),
	/** The last key it visited; null at the start of a round. */
	cursor: text("cursor"),
});
