import { and, desc, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { spendCeilings } from "../../../db/schema/administration.ts";
import { DEPLOYMENT, judgeUsageDays } from "../../../db/schema/usage.ts";
import { type CeilingChanges, NO_SPEND, type Spend } from "../../../domain/spend.ts";
import { utcDayOf } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";

/** What is used today by a poster and by the whole deployment, in one round trip. */
export async function findDaySpend(deps: Deps, { posterId, now }: { posterId: string; now: number }) {
	const rows = await deps.db.query
		.select()
		.from(judgeUsageDays)
		.where(and(inArray(judgeUsageDays.holder, [posterId, DEPLOYMENT]), eq(judgeUsageDays.day, utcDayOf(now))));
	const spendOf = (holder: string): Spend => {
		const row = rows.find((candidate) => candidate.holder === holder);
		return row === undefined ? NO_SPEND : { tokens: row.inputTokens + row.outputTokens, costMicroUsd: row.costMicroUsd ?? 0 };
	};
	return { poster_day: spendOf(posterId), deployment_day: spendOf(DEPLOYMENT) };
}

/** A poster's days with usage, newest first. */
export async function selectDays(deps: Deps, { posterId, fromDay }: { posterId: string; fromDay: string }) {
	return deps.db.query
		.select()
		.from(judgeUsageDays)
		.where(and(eq(judgeUsageDays.holder, posterId), gte(judgeUsageDays.day, fromDay)))
		.orderBy(desc(judgeUsageDays.day));
}

export async function forgetDays(deps: Deps, { beforeDay, limit }: { beforeDay: string; limit: number }): Promise<void> {
	const old = deps.db.query
		.select({ holder: judgeUsageDays.holder, day: judgeUsageDays.day })
		.from(judgeUsageDays)
		.where(lt(judgeUsageDays.day, beforeDay))
		.limit(limit);
	await deps.db.query.delete(judgeUsageDays).where(sql`(holder, day) in ${old}`);
}

/** What operators have changed. */
export async function findCeilingChanges({ db }: Pick<Deps, "db">): Promise<CeilingChanges> {
	const rows = await db.query.select().from(spendCeilings);
	return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
