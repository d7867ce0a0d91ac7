import { eq } from "drizzle-orm";
import type { Database } from "../ports/database.ts";
import { placement } from "./schema/placement.ts";

/** Records the jurisdiction unless it has been recorded before. Returns the recorded one. */
export async function recordJurisdiction({ query }: Database, jurisdiction: string): Promise<string> {
	const values = { id: 1, jurisdiction };
	const [, [row]] = await query.batch([
		query.insert(placement).values(values).onConflictDoNothing(),
		query.select({ jurisdiction: placement.jurisdiction }).from(placement).where(eq(placement.id, 1)),
	]);
	return row?.jurisdiction ?? jurisdiction;
}
