import { sql } from "drizzle-orm";
import { judgeReservations } from "../../db/schema/usage.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export function releaseReservations(deps: Deps, ids: readonly string[]): Statement {
	return deps.db.query
		.delete(judgeReservations)
		.where(sql`${judgeReservations.id} in (select value from json_each(${JSON.stringify(ids)}))`);
}
