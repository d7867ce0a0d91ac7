// Objects of the bucket that have no row, or none any more: noted in the batch that makes them so, deleted by a sweep when due.
import { eq } from "drizzle-orm";

import type { Database, Statement } from "../ports/database.ts";
import { discardedObjects } from "./schema/attachments.ts";

/** The object has its row now. */
export function keepObject(db: Database, key: string): Statement {
	return db.query.delete(discardedObjects).where(eq(discardedObjects.key, key));
}

/**
 * The object's row is gone.
 *
 * @param object `dueAt` is when it may be deleted, in milliseconds since the epoch.
 */
export function discardObject(db: Database, object: { key: string; dueAt: number }): Statement {
	return db.query.insert(discardedObjects).values(object).onConflictDoNothing();
}
