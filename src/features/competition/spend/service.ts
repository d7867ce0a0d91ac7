// What judging may cost: ceilings, and what was used by day.
import { forgetRows } from "../../../db/expired-rows.ts";
import { AppError } from "../../../domain/errors.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { applyCeilingChanges, type CeilingChanges, NO_SPEND, type SpendSettings } from "../../../domain/spend.ts";
import { type Usage, viewUsage } from "../../../domain/usage.ts";
import { DAY_MS, SECOND_MS, utcDayOf } from "../../../platform/clock.ts";
import { Recent } from "../../../platform/recent.ts";
import type { Deps } from "../../../ports/deps.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

interface SpendingTask {
	readonly id: string;
	readonly companyId: string;
}

/** A change counts within 10 seconds, the time of the read included. */
const CEILINGS_FRESH_MS = 8 * SECOND_MS;

const knownChanges = new Recent<CeilingChanges>(CEILINGS_FRESH_MS);

/** The ceilings as operators have set them, at most 10 seconds ago. */
export async function readCeilings(deps: Deps): Promise<SpendSettings> {
	const now = deps.clock.now();
	const changes = knownChanges.find(now) ?? knownChanges.keep(await store.findCeilingChanges({ db: deps.db.fork() }), now);
	return applyCeilingChanges(deps.config.spend, changes);
}

/** Makes the next evaluation in this isolate read the ceilings again. */
export function forgetCeilings(): void {
	knownChanges.forget();
}

/**
 * How much of the ceilings of a task in its object is used. Only ceilings of a day cost a read.
 *
 * @param ofTask What is recorded in the object.
 */
export async function findLevels(
	deps: Deps,
	{ companyId }: Pick<SpendingTask, "companyId">,
	{ ceilings, ofTask }: { ceilings: rules.Ceilings; ofTask: rules.Level },
): Promise<rules.Levels> {
	const hasDay = rules.hasCeiling({ ...ceilings, task: { tokens: null, costMicroUsd: null } });
	const days = hasDay
		? await store.findDaySpend(deps, { posterId: companyId, now: deps.clock.now() })
		: { poster_day: NO_SPEND, deployment_day: NO_SPEND };
	return {
		task: ofTask,
		poster_day: { used: days.poster_day, reserved: NO_SPEND },
		deployment_day: { used: days.deployment_day, reserved: NO_SPEND },
	};
}

/** Counts what was used: for the day of a poster and of the deployment, and for the list of tasks by cost. */
export async function recordUsage(deps: Deps, { id, companyId }: Pick<SpendingTask, "id" | "companyId">, used: Usage): Promise<void> {
	await deps.db.query.batch([statements.addToDays(deps, companyId, used), statements.addToTask(deps, id, used)]);
}

export function mustWait(deps: Deps, task: Pick<SpendingTask, "id">, { message, delayMs }: rules.Wait): EvaluationFault {
	deps.log.info("evaluation_at_ceiling", { task_id: task.id, delay_ms: delayMs, reason: message });
	const retryAfterSeconds = Math.ceil(delayMs / SECOND_MS);
	return new EvaluationFault(message, {
		blame: "platform",
		isRetryable: true,
		costsAttempt: false,
		retryAfterSeconds,
		waitingFor: message,
	});
}

/**
 * Refuses a re-evaluation near a ceiling: what is left is for submissions that have no score yet.
 *
 * @throws AppError `CONFLICT`.
 */
export function assertFar(levels: rules.Levels, ceilings: rules.Ceilings, now: number): void {
	const near = rules.findNear(levels, ceilings);
	if (near.length === 0) return;
	const { message, retryAfterSeconds } = rules.describeRefusal(near, now);
	throw new AppError("CONFLICT", { message, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) });
}

/** What judging a poster's tasks has used, by UTC day, newest first. Days without usage are not listed. */
export async function listUsageDays(deps: Deps, { posterId, days }: { posterId: string; days: number }) {
	const fromDay = utcDayOf(deps.clock.now() - (days - 1) * DAY_MS);
	return (await store.selectDays(deps, { posterId, fromDay })).map((row) => ({ day: row.day, ...viewUsage(row) }));
}

/** Sums of days are kept for 400 days. */
export async function forgetOldUsageDays(deps: Deps): Promise<void> {
	const beforeDay = utcDayOf(deps.clock.now() - rules.USAGE_DAYS_KEPT_MS);
	await forgetRows(deps.db, (limit) => store.forgetDays(deps, { beforeDay, limit }));
}
