import { sql } from "drizzle-orm";
import type { Database } from "../ports/database.ts";

/**
 * Selects all switches that operators have ever changed, and the recorded jurisdiction, as JSON for `parseSwitches` in the feature
 * `switches`.
 */
const allSwitches = sql<string>`(select json_array(json_group_array(json_array(name, is_on, message, revision, since)),
	(select jurisdiction from placement)) from switches)`;

/** A column for queries that look up credentials, so that a request needs no separate read of the switches. */
export const switchesSeen = allSwitches.as("switches_seen");

/** Reads the switches for a request that looks up no credential. */
export async function readSwitchesSeen(db: Database): Promise<string> {
	const [row] = await db.query.all<{ readonly seen: string }>(sql`select ${allSwitches} as seen`);
	if (row === undefined) throw new Error("The query for the switches returned no row.");
	return row.seen;
}
