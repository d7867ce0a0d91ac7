import { eq } from "drizzle-orm";
import { judgeReservations } from "../../db/schema/usage.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";

export function releaseReservation(deps: Deps, id: string): Statement {
	return deps.db.query.delete(judgeReservations).where(eq(judgeReservations.id, id));
}
