// What judging may cost: ceilings, reservations before calls to models, and what was used by day.
import { forgetRows } from "../../db/expired-rows.ts";
import { AppError } from "../../domain/errors.ts";
import { EvaluationFault } from "../../domain/evaluation-fault.ts";
import {
	addSpend,
	applyCeilingChanges,
	type CeilingChanges,
	isWithin,
	NO_SPEND,
	type Spend,
	type SpendSettings,
	scaleSpend,
} from "../../domain/spend.ts";
import { type Usage, viewUsage } from "../../domain/usage.ts";
import { DAY_MS, SECOND_MS, utcDayOf } from "../../platform/clock.ts";
import { Recent } from "../../platform/recent.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { CallEstimate, WithinReserve } from "../../ports/judge.ts";
import { keepWithin } from "./call-reserve.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

interface SpendingTask {
	readonly id: string;
	readonly companyId: string;
	readonly budgetCents: number;
}

interface PlannedEvaluation {
	readonly task: SpendingTask;
	/** Of one call. */
	readonly estimate: CallEstimate;
	/** Criteria without a verdict. */
	readonly criteria: number;
	/** What earlier attempts have used. */
	readonly spentBefore: Spend;
	/** What this attempt has used so far. */
	readonly spentNow: () => Spend;
}

export interface Reservation {
	/** One for the plan and one for each extension; none if no ceiling is set. */
	readonly ids: readonly string[];
	/** Opinions of each criterion: fewer than planned when the evaluation's own ceiling allows no more. */
	readonly samples: number;
	readonly withinReserve: WithinReserve;
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
 * Reserves what an evaluation may use, so that parallel ones cannot pass a ceiling together.
 *
 * @throws EvaluationFault that costs no attempt, and says what the evaluation waits for, when a ceiling leaves no room.
 */
export async function reserveSpend(deps: Deps, plan: PlannedEvaluation): Promise<Reservation> {
	const { task, estimate, criteria, spentBefore } = plan;
	const settings = await readCeilings(deps);
	const { evaluation: ceiling } = settings;
	const call = { tokens: estimate.tokens, costMicroUsd: estimate.costMicroUsd };
	const samples = rules.affordableSamples({ call, criteria, samples: estimate.samples, spent: spentBefore, ceiling });
	if (samples === 0) throw mustWait(deps, task, rules.EVALUATION_WAIT);
	let reserved = scaleSpend(call, criteria * samples);
	const ids: string[] = [];
	const wait = await reserveShared(deps, { task, wanted: reserved, ids });
	if (wait !== null) throw mustWait(deps, task, wait);
	const shared = rules.ceilingsOf(task, settings);
	const roomNow = () => rules.roomOf({ reserved, shared, own: ceiling, spent: spentBefore });
	const extend = async () => {
		const most = addSpend(reserved, call);
		if (!isWithin(addSpend(spentBefore, most), ceiling)) return null;
		if ((await reserveShared(deps, { task, wanted: call, ids })) !== null) return null;
		reserved = most;
		return roomNow();
	};
	return { ids, samples, withinReserve: keepWithin({ room: roomNow(), call, spent: plan.spentNow, extend, usedUp }) };
}

interface Wanted {
	readonly task: SpendingTask;
	readonly wanted: Spend;
	/** The id of the reservation is added here. */
	readonly ids: string[];
}

/** Reserves below the ceilings that evaluations share. Returns what to wait for when one leaves no room. */
async function reserveShared(deps: Deps, { task, wanted, ids }: Wanted): Promise<rules.Wait | null> {
	const ceilings = rules.ceilingsOf(task, await readCeilings(deps));
	if (!rules.hasCeiling(ceilings)) return null;
	const now = deps.clock.now();
	const id = deps.ids.next();
	const place = { taskId: task.id, posterId: task.companyId, now };
	if (await store.reserve(deps, { ...place, id, wanted, ceilings, expiresAt: now + rules.RESERVATION_MS })) {
		ids.push(id);
		return null;
	}
	const levels = await store.findLevels(deps, place);
	return rules.describeWait({ wanted, levels, ceilings, now, jitter: deps.random() });
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

/** Calls that were not foreseen and for which there is no room now. The next message says what they wait for. */
function usedUp(): EvaluationFault {
	const facts = { blame: "platform", isRetryable: true, costsAttempt: false, retryAfterSeconds: 0 } as const;
	return new EvaluationFault("The evaluation continues in another message, when it fits under its ceilings.", facts);
}

/** Ends a reservation. Belongs in the batch that records what was used. */
export function releaseReservation(deps: Deps, { ids }: Reservation): Statement[] {
	return ids.length === 0 ? [] : [statements.releaseReservations(deps, ids)];
}

/** Counts what was used for a task that is deleted by now, so that deleting a draft cannot hide its cost from the ceilings of a day. */
export function countForDay(deps: Deps, posterId: string, used: Usage): Statement {
	return statements.addToDays(deps, posterId, used);
}

/**
 * Refuses a re-evaluation near a ceiling: what is left is for submissions that have no score yet.
 *
 * @throws AppError `CONFLICT`.
 */
export async function assertFarFromCeilings(deps: Deps, task: SpendingTask): Promise<void> {
	const ceilings = rules.ceilingsOf(task, await readCeilings(deps));
	if (deps.judge?.estimateCall === undefined || !rules.hasCeiling(ceilings)) return;
	const now = deps.clock.now();
	assertFar(await store.findLevels(deps, { taskId: task.id, posterId: task.companyId, now }), ceilings, now);
}

/**
 * {@link assertFarFromCeilings} for what is known already.
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
