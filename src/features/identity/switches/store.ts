import { sql } from "drizzle-orm";
import { allSwitches } from "../../../db/seen-switches.ts";
import type { Deps } from "../../../ports/deps.ts";

export async function findSwitches({ db }: Pick<Deps, "db">): Promise<string> {
	const [row] = await db.query.all<{ readonly seen: string }>(sql`select ${allSwitches} as seen`);
	if (row === undefined) throw new Error("A row without a table was not returned.");
	return row.seen;
}
