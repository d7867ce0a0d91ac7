// Judging has a cost: this file reads its ceilings, and records the usage of each day.
import { and, desc, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { forgetRows } from "../../../db/expired-rows.ts";
import { spendCeilings } from "../../../db/schema/administration.ts";
import { DEPLOYMENT, judgeUsageDays } from "../../../db/schema/usage.ts";
import { AppError } from "../../../domain/errors.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import {
	applyCeilingChanges,
	type CeilingChanges,
	NO_SPEND,
	type Spend,
	type SpendSettings,
	type Usage,
	viewUsage,
} from "../../../domain/spend.ts";
import { DAY_MS, SECOND_MS, utcDayOf } from "../../../platform/clock.ts";
import { RecentValue } from "../../../platform/recent.ts";
import type { Deps } from "../../../ports/deps.ts";
import * as rules from "./rules.ts";

/** Every isolate knows a changed ceiling after this time, which includes the time of the read. */
export const CEILINGS_KNOWN_MS = 10 * SECOND_MS;
const CEILINGS_FRESH_MS = 8 * SECOND_MS;

const knownChanges = new RecentValue<CeilingChanges>(CEILINGS_FRESH_MS);

/** Reads the ceilings as operators have set them. A change counts after 10 seconds at most. */
export async function readCeilings(deps: Deps): Promise<SpendSettings> {
	const now = deps.clock.now();
	const changes = knownChanges.find(now) ?? knownChanges.keep(await findCeilingChanges({ db: deps.db.fork() }), now);
	return applyCeilingChanges(deps.config.spend, changes);
}

/** Makes the next evaluation in this isolate read the ceilings again. */
export function forgetCeilings(): void {
	knownChanges.forget();
}

/**
 * Computes how much of a task's ceilings is used. Only ceilings of a day cost a read.
 *
 * @param ofTask The level of the task's own ceiling, from its object.
 */
export async function findLevels(
	deps: Deps,
	{ companyId }: { companyId: string },
	{ ceilings, ofTask }: { ceilings: rules.Ceilings; ofTask: rules.SpendLevel },
): Promise<rules.SpendLevels> {
	const hasDay = rules.hasCeiling({ ...ceilings, task: { tokens: null, costMicroUsd: null } });
	const days = hasDay
		? await findDaySpend(deps, { posterId: companyId, now: deps.clock.now() })
		: { poster_day: NO_SPEND, deployment_day: NO_SPEND };
	return {
		task: ofTask,
		poster_day: { used: days.poster_day, reserved: NO_SPEND },
		deployment_day: { used: days.deployment_day, reserved: NO_SPEND },
	};
}

/** Adds usage to the day of a poster and of the deployment. A repeated call adds it again. */
export async function recordUsage(deps: Deps, posterId: string, { calls, inputTokens, outputTokens, costMicroUsd }: Usage): Promise<void> {
	const day = utcDayOf(deps.clock.now());
	const values = [posterId, DEPLOYMENT].map((holder) => ({ holder, day, calls, inputTokens, outputTokens, costMicroUsd }));
	const cost = judgeUsageDays.costMicroUsd;
	await deps.db.query
		.insert(judgeUsageDays)
		.values(values)
		.onConflictDoUpdate({
			target: [judgeUsageDays.holder, judgeUsageDays.day],
			set: {
				calls: sql`${judgeUsageDays.calls} + ${calls}`,
				inputTokens: sql`${judgeUsageDays.inputTokens} + ${inputTokens}`,
				outputTokens: sql`${judgeUsageDays.outputTokens} + ${outputTokens}`,
				...(costMicroUsd === null ? {} : { costMicroUsd: sql`coalesce(${cost}, 0) + ${costMicroUsd}` }),
			},
		});
}

/** Builds the fault of an evaluation that waits for a ceiling. */
export function mustWait(deps: Deps, task: { id: string }, { message, scopes, delayMs }: rules.CeilingWait): EvaluationFault {
	deps.log.info("evaluation_at_ceiling", { task_id: task.id, delay_ms: delayMs, reason: message });
	const retryAfterSeconds = Math.ceil(delayMs / SECOND_MS);
	return new EvaluationFault(message, {
		blame: "platform",
		isRetryable: true,
		costsAttempt: false,
		retryAfterSeconds,
		ceilings: scopes,
	});
}

/**
 * Refuses a re-evaluation near a ceiling: what is left is for submissions that have no score yet.
 *
 * @throws AppError `CONFLICT`.
 */
export function assertFar(levels: rules.SpendLevels, ceilings: rules.Ceilings, now: number): void {
	const near = rules.findNear(levels, ceilings);
	if (near.length === 0) return;
	const { message, retryAfterSeconds } = rules.describeNearCeiling(near, now);
	throw new AppError("CONFLICT", { message, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) });
}

/** Lists the usage of judging a poster's tasks by UTC day, newest first. Days without usage are left out. */
export async function listUsageDays(deps: Deps, { posterId, days }: { posterId: string; days: number }) {
	const fromDay = utcDayOf(deps.clock.now() - (days - 1) * DAY_MS);
	return (await selectUsageDays(deps, { posterId, fromDay })).map((row) => ({ day: row.day, ...viewUsage(row) }));
}

/** Sums of days are kept for 400 days. */
export async function forgetOldUsageDays(deps: Deps): Promise<void> {
	const beforeDay = utcDayOf(deps.clock.now() - rules.USAGE_DAYS_KEPT_MS);
	await forgetRows(deps.db, (limit) => forgetDays(deps, { beforeDay, limit }));
}

/** Reads what a poster and the whole deployment have used today, in one round trip. */
async function findDaySpend(deps: Deps, { posterId, now }: { posterId: string; now: number }) {
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

/** Reads what the whole deployment has used today. */
export async function findDeploymentSpend(deps: Deps): Promise<Spend> {
	return (await findDaySpend(deps, { posterId: DEPLOYMENT, now: deps.clock.now() })).deployment_day;
}

/** Selects a poster's days with usage, newest first. */
async function selectUsageDays(deps: Deps, { posterId, fromDay }: { posterId: string; fromDay: string }) {
	return deps.db.query
		.select()
		.from(judgeUsageDays)
		.where(and(eq(judgeUsageDays.holder, posterId), gte(judgeUsageDays.day, fromDay)))
		.orderBy(desc(judgeUsageDays.day));
}

async function forgetDays(deps: Deps, { beforeDay, limit }: { beforeDay: string; limit: number }): Promise<void> {
	const old = deps.db.query
		.select({ holder: judgeUsageDays.holder, day: judgeUsageDays.day })
		.from(judgeUsageDays)
		.where(lt(judgeUsageDays.day, beforeDay))
		.limit(limit);
	await deps.db.query.delete(judgeUsageDays).where(sql`(holder, day) in ${old}`);
}

/** Reads the ceilings that operators have changed. */
async function findCeilingChanges({ db }: Pick<Deps, "db">): Promise<CeilingChanges> {
	const rows = await db.query.select().from(spendCeilings);
	return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
