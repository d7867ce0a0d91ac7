import { eq, inArray } from "drizzle-orm";
import { watchedTopics } from "../../db/schema/streams.ts";
import { type Topic, topicName } from "../../domain/topics.ts";
import type { Deps } from "../../ports/deps.ts";

/** Those of the topics that someone watches. */
export async function selectWatched(deps: Deps, topics: readonly Topic[]): Promise<Topic[]> {
	if (topics.length === 0) return [];
	const rows = await deps.db.query
		.select()
		.from(watchedTopics)
		.where(inArray(watchedTopics.name, topics.map(topicName)));
	return topics.filter((topic) => rows.some(({ name }) => name === topicName(topic)));
}

/** Makes every commit from now on reach the topic. Writes nothing, and returns false, if it is watched already. */
export async function saveWatched(deps: Deps, name: string): Promise<boolean> {
	const inserted = await deps.db.idempotent.insert(watchedTopics).values({ name }).onConflictDoNothing().returning();
	return inserted.length > 0;
}

export async function forgetWatched(deps: Deps, name: string): Promise<void> {
	await deps.db.idempotent.delete(watchedTopics).where(eq(watchedTopics.name, name));
}
