import { eq } from "drizzle-orm";
import { collectorCursors } from "../../db/schema/stored-objects.ts";
import type { Deps } from "../../ports/deps.ts";

/** The key that the last run stopped at; null at the start of a round. */
export async function findCursor(deps: Deps, prefix: string): Promise<string | null> {
	const [row] = await deps.db.query
		.select({ cursor: collectorCursors.cursor })
		.from(collectorCursors)
		.where(eq(collectorCursors.prefix, prefix));
	return row?.cursor ?? null;
}

export async function saveCursor(deps: Deps, prefix: string, cursor: string | null): Promise<void> {
	await deps.db.query
		.insert(collectorCursors)
		.values({ prefix, cursor })
		.onConflictDoUpdate({ target: collectorCursors.prefix, set: { cursor } });
}
