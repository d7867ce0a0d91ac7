import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Relays pass changes on to watchers. A relay follows one topic. A change reads all relays, so the topic has no index. */
export const relays = sqliteTable("relays", {
	name: text("name").primaryKey(),
	topic: text("topic").notNull(),
	/** Each join of the relay has its own membership, so that a leave that arrives late removes nothing newer. */
	membership: text("membership").notNull(),
});
