import { and, desc, eq, gte, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import { selectValues } from "../../db/insert-select.ts";
import { spendCeilings } from "../../db/schema/administration.ts";
import { DEPLOYMENT, judgeReservations, judgeUsageDays } from "../../db/schema/usage.ts";
import { type CeilingChanges, NO_SPEND, type Spend } from "../../domain/spend.ts";
import { utcDayOf } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import { type Ceilings, type Levels, SCOPES, type Scope } from "./rules.ts";

export interface SpendPlace {
	readonly taskId: string;
	readonly posterId: string;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

const COLUMNS = { tokens: "tokens", costMicroUsd: "cost_micro_usd" } as const satisfies Record<keyof Spend, string>;
const UNITS = ["tokens", "costMicroUsd"] as const satisfies readonly (keyof Spend)[];
const RECORDED: Readonly<Record<keyof Spend, SQL>> = {
	tokens: sql`input_tokens + output_tokens`,
	costMicroUsd: sql`coalesce(cost_micro_usd, 0)`,
};

/** What is recorded under a scope, as an expression. */
function used({ taskId, posterId, now }: SpendPlace, scope: Scope, unit: keyof Spend): SQL<number> {
	const day = utcDayOf(now);
	const rows: Readonly<Record<Scope, SQL>> = {
		task: sql`task_judge_usage where task_id = ${taskId}`,
		poster_day: sql`judge_usage_days where holder = ${posterId} and day = ${day}`,
		deployment_day: sql`judge_usage_days where holder = ${DEPLOYMENT} and day = ${day}`,
	};
	return sql`coalesce((select ${RECORDED[unit]} from ${rows[scope]}), 0)`;
}

/** What evaluations under way have reserved under a scope. They are recorded on the day when they end, so the day when they began does not count. */
function reserved({ taskId, posterId, now }: SpendPlace, scope: Scope, unit: keyof Spend): SQL<number> {
	const only: Readonly<Record<Scope, SQL>> = {
		task: sql` and task_id = ${taskId}`,
		poster_day: sql` and poster_id = ${posterId}`,
		deployment_day: sql``,
	};
	return sql`(select coalesce(sum(${sql.raw(COLUMNS[unit])}), 0) from judge_reservations where expires_at > ${now}${only[scope]})`;
}

interface LevelRow {
	readonly scope: Scope;
	readonly usedTokens: number;
	readonly usedCost: number;
	readonly reservedTokens: number;
	readonly reservedCost: number;
}

/** How much of each ceiling is used, in one round trip. */
export async function findLevels(deps: Deps, place: SpendPlace): Promise<Levels> {
	const levels = SCOPES.map(
		(scope) => sql`select ${scope} as "scope",
			${used(place, scope, "tokens")} as "usedTokens", ${used(place, scope, "costMicroUsd")} as "usedCost",
			${reserved(place, scope, "tokens")} as "reservedTokens", ${reserved(place, scope, "costMicroUsd")} as "reservedCost"`,
	);
	const rows = await deps.db.query.all<LevelRow>(sql.join(levels, sql` union all `));
	const levelOf = (scope: Scope) => {
		const row = rows.find((candidate) => candidate.scope === scope);
		return {
			used: { tokens: row?.usedTokens ?? 0, costMicroUsd: row?.usedCost ?? 0 },
			reserved: { tokens: row?.reservedTokens ?? 0, costMicroUsd: row?.reservedCost ?? 0 },
		};
	};
	return { task: levelOf("task"), poster_day: levelOf("poster_day"), deployment_day: levelOf("deployment_day") };
}

/** What is used today by a poster and by the whole deployment, in one round trip. */
export async function findDaySpend(deps: Deps, { posterId, now }: Omit<SpendPlace, "taskId">) {
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

interface NewReservation extends SpendPlace {
	readonly id: string;
	readonly wanted: Spend;
	readonly ceilings: Ceilings;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
}

/** Reserves unless a ceiling would be passed. One statement decides and writes, so parallel evaluations cannot pass one together. */
export async function reserve(deps: Deps, { id, wanted, ceilings, expiresAt, ...place }: NewReservation): Promise<boolean> {
	const fits = SCOPES.flatMap((scope) =>
		UNITS.flatMap((unit) => {
			const most = ceilings[scope][unit];
			if (most === null) return [];
			return [sql`${used(place, scope, unit)} + ${reserved(place, scope, unit)} + ${wanted[unit]} <= ${most}`];
		}),
	);
	const row = { id, taskId: place.taskId, posterId: place.posterId, ...wanted, expiresAt };
	const [, rows] = await deps.db.query.batch([
		deps.db.query.delete(judgeReservations).where(lte(judgeReservations.expiresAt, place.now)),
		deps.db.query
			.insert(judgeReservations)
			.select(selectValues(judgeReservations, row, sql`where ${sql.join(fits, sql` and `)}`))
			.returning({ id: judgeReservations.id }),
	]);
	return rows.length > 0;
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
