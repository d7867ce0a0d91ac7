import { sql } from "drizzle-orm";
import { spendCeilings, switches } from "../../db/schema/administration.ts";
import type { Deps } from "../../ports/deps.ts";

/** Enough to find the oldest: what a sweep has made due again comes later in this order. */
const MAX_LOOKED_AT = 200;

/** The switches and ceilings that were ever changed, and when the oldest evaluation was asked for that no consumer has looked at; null when none waits. */
export async function findState({ db, clock }: Pick<Deps, "db" | "clock">) {
	const now = clock.now();
	const [rows, ceilings, [oldest]] = await db.query.batch([
		db.query.select().from(switches),
		db.query.select().from(spendCeilings),
		db.query
			.select({ since: sql<number | null>`min(created_at)`.as("since") })
			.from(
				sql`(select created_at, attempts from evaluation_jobs where finished_at is null and due_at <= ${now} order by due_at limit ${MAX_LOOKED_AT})`,
			)
			.where(sql`attempts = 0`),
	]);
	return {
		rows,
		ceilings: Object.fromEntries(ceilings.map(({ name, value }) => [name, value])),
		oldestWaitingSince: oldest?.since ?? null,
		readAt: now,
	};
}
