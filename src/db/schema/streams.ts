import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Topics that someone watches, by `topicName`. Publishing to any other would start an object for nothing. */
export const watchedTopics = sqliteTable("watched_topics", { name: text("name").primaryKey() });
