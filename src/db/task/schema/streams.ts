import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The relays that pass changes on to watchers. A relay follows one topic. A change reads all of them, so the topic has no index. */
export const relays = sqliteTable("relays", {
	name: text("name").primaryKey(),
	topic: text("topic").notNull(),
	/** Another one for each time that the relay has joined, so that a leave that arrives late removes nothing newer. */
	membership: text("membership").notNull(),
});
