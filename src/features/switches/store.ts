import { sql } from "drizzle-orm";
import { spendCeilings, switches } from "../../db/schema/administration.ts";
import { evaluationJobs } from "../../db/schema/submissions.ts";
import type { Deps } from "../../ports/deps.ts";

const NEXT_LOOKED_AT = 100;

/** The switches and ceilings that were ever changed, and when the oldest evaluation that has not begun was requested; null when none waits. */
export async function findState({ db, clock }: Pick<Deps, "db" | "clock">) {
	const now = clock.now();
	const [rows, ceilings, [oldest]] = await db.query.batch([
		db.query.select().from(switches),
		db.query.select().from(spendCeilings),
		// The oldest is among those that are next, in the order of the index `evaluation_jobs_untouched`: so few rows tell, however many wait.
		db.query
			.select({ since: sql<number | null>`min(created_at)`.as("since") })
			.from(
				db.query
					.select({ createdAt: evaluationJobs.createdAt })
					.from(evaluationJobs)
					.where(sql`finished_at is null and attempts = 0 and due_at <= ${now}`)
					.orderBy(evaluationJobs.turn, evaluationJobs.partyTurn)
					.limit(NEXT_LOOKED_AT)
					.as("next"),
			),
	]);
	return {
		rows,
		ceilings: Object.fromEntries(ceilings.map(({ name, value }) => [name, value])),
		oldestWaitingSince: oldest?.since ?? null,
		readAt: now,
	};
}
