// Reads the spending ceilings of judging, and keeps the ledger in the directory.
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { findConstraint } from "../../../db/commit.ts";
import { forgetRows } from "../../../db/expired-rows.ts";
import { spendCeilings } from "../../../db/schema/administration.ts";
import { judgeDays } from "../../../db/schema/ledger.ts";
import { EvaluationFault } from "../../../domain/evaluation-fault.ts";
import { type Ceilings, DEPLOYMENT, MICRO_USD, sumUsage, type Usage } from "../../../domain/spend.ts";
import { DAY_MS, SECOND_MS, utcDayOf } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import { RecentValue } from "../../../platform/recent.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { ProbeAccount } from "../../judging/engine/probe.ts";
import * as rules from "./rules.ts";
import { deleteJudgeDays, expireReservations, insertReservation, type ReservationKey, settleReservation } from "./statements.ts";

/** After this time, every isolate knows a changed ceiling. Includes the time that reading the ceiling takes. */
export const CEILINGS_KNOWN_MS = 10 * SECOND_MS;
const CEILINGS_FRESH_MS = 8 * SECOND_MS;

interface Limits {
	readonly ceilings: Partial<Ceilings>;
	/** The typical cost of an evaluation. Null if the last days had too few evaluations. */
	readonly usual: number | null;
}

const knownLimits = new RecentValue<Limits>(CEILINGS_FRESH_MS);

/** Reads the ceilings as operators have set them, and the typical cost of an evaluation. A change takes effect within 10 seconds. */
export async function readLimits(deps: Deps) {
	const now = deps.clock.now();
	const { ceilings, usual } = knownLimits.find(now) ?? knownLimits.keep(await findLimits({ ...deps, db: deps.db.fork() }), now);
	return { ceilings: { ...deps.config.spend.ceilings, ...ceilings }, payerSharePercent: deps.config.spend.payerSharePercent, usual };
}

/** Makes the next evaluation in this isolate read the ceilings again. */
export function forgetLimits(): void {
	knownLimits.forget();
}

async function findLimits({ db, clock }: Pick<Deps, "db" | "clock">): Promise<Limits> {
	const [changes, [sums]] = await db.query.batch([
		db.query.select().from(spendCeilings),
		db.query
			.select({
				settled: sql<number>`coalesce(sum(settled), 0)`.as("settled"),
				evaluations: sql<number>`coalesce(sum(evaluations), 0)`.as("evaluations"),
			})
			.from(judgeDays)
			.where(and(eq(judgeDays.scope, DEPLOYMENT), inArray(judgeDays.day, lastDays(clock.now(), rules.USUAL_DAYS)))),
	]);
	return {
		ceilings: Object.fromEntries(changes.map(({ name, value }) => [name, value])),
		usual: rules.usualCost(sums ?? { settled: 0, evaluations: 0 }),
	};
}

/** Reserves an estimate in the day's scopes. @throws EvaluationFault if one of them is full. The fault does not count as an attempt. */
export async function reserveDay(
	deps: Deps,
	key: ReservationKey,
	{ taskId, parts }: { readonly taskId: string; readonly parts: readonly rules.ScopePart[] },
): Promise<void> {
	const now = deps.clock.now();
	const reservation = { ...key, day: utcDayOf(now), parts, expiresAt: now + rules.RESERVATION_TTL_MS };
	try {
		await runRepeatable(deps, insertReservation(deps, reservation));
	} catch (error) {
		const constraint = findConstraint(error);
		// An earlier call made the reservation, but its response was lost.
		if (constraint === "reservations.job, reservations.claim") return;
		if (constraint !== "reservation_has_room") throw error;
		const levels = await findScopeLevels(deps, reservation);
		throw mustWait(deps, taskId, rules.describeCeilingWait(levels, { now, jitter: deps.random() }));
	}
}

/**
 * Settles a claim's reservation. Never throws, because a repeated attempt would cost money again. A reservation that is not settled
 * expires.
 */
export async function settleDay(deps: Deps, key: ReservationKey, used: Usage & { readonly evaluations: number }): Promise<void> {
	const { inputTokens, outputTokens, costMicroUsd, evaluations } = used;
	const settlement = { costMicroUsd: costMicroUsd ?? 0, evaluations, inputTokens, outputTokens };
	try {
		await runRepeatable(deps, settleReservation(deps, key, settlement));
	} catch (error) {
		deps.log.error("usage_not_recorded", { job_id: key.job, ...describeError(error) });
	}
}

/**
 * Reserves the expected cost of probes of models, only under the deployment's daily ceiling. The returned functions count the calls and
 * settle the reservation.
 *
 * @throws EvaluationFault that costs no attempt, if the day's ceiling is reached.
 */
export async function beginProbe(deps: Deps, amount: number): Promise<ProbeAccount> {
	const { ceilings } = await readLimits(deps);
	const key = { job: deps.ids.next(), claim: 1 };
	const part = { scope: DEPLOYMENT, kind: "deployment_day", share: 1, amount, most: ceilings.deployment_day_micro_usd } as const;
	await reserveDay(deps, key, { taskId: "none", parts: [part] });
	const calls: Usage[] = [];
	return {
		onCall: (call) => calls.push({ calls: 1, ...call }),
		settle: () => settleDay(deps, key, { ...sumUsage(calls), evaluations: 0 }),
	};
}

/** Releases the reservations of consumers that have died. */
export async function releaseExpired(deps: Deps): Promise<void> {
	await runRepeatable(deps, expireReservations(deps, { expiredAt: deps.clock.now() }));
}

/** Runs statements as one batch, which is safe to repeat after a lost connection to D1. */
async function runRepeatable({ db }: Deps, [first, ...rest]: readonly Statement[]): Promise<void> {
	if (first !== undefined) await db.idempotent.batch([first, ...rest]);
}

async function findScopeLevels(
	deps: Deps,
	{ day, parts }: { readonly day: string; readonly parts: readonly rules.ScopePart[] },
): Promise<rules.ScopeLevel[]> {
	const scopes = parts.map(({ scope }) => scope);
	const rows = await deps.db.query
		.select()
		.from(judgeDays)
		.where(and(inArray(judgeDays.scope, scopes), eq(judgeDays.day, day)));
	return parts.map((part) => {
		const row = rows.find(({ scope }) => scope === part.scope);
		return { ...part, settled: row?.settled ?? 0, reserved: row?.reserved ?? 0 };
	});
}

function mustWait(deps: Deps, taskId: string, { message, scopes, delayMs }: rules.CeilingWait): EvaluationFault {
	deps.log.info("evaluation_at_ceiling", { task_id: taskId, delay_ms: delayMs, reason: message });
	const retryAfterSeconds = Math.ceil(delayMs / SECOND_MS);
	return new EvaluationFault(message, {
		blame: "platform",
		isRetryable: true,
		retryAfterSeconds,
		waitsFor: "ceiling",
		ceilings: scopes,
	});
}

/** Lists what judging a poster's tasks has cost by UTC day, newest first, without days that cost nothing. */
export async function listUsageDays(deps: Deps, { posterId, days }: { posterId: string; days: number }) {
	const rows = await deps.db.query
		.select()
		.from(judgeDays)
		.where(and(eq(judgeDays.scope, `poster:${posterId}`), inArray(judgeDays.day, lastDays(deps.clock.now(), days))))
		.orderBy(desc(judgeDays.day));
	return rows.map(({ day, settled, evaluations, inputTokens, outputTokens }) => {
		return { day, evaluations, input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: settled / MICRO_USD };
	});
}

/** Lists the last days, including today. Queries name every day, so that they look up one row of the scope for each. */
function lastDays(now: number, days: number): string[] {
	return Array.from({ length: days }, (_, ago) => utcDayOf(now - ago * DAY_MS));
}

/** Deletes payers' sums of the days before yesterday, and all other daily sums after 400 days. */
export async function forgetOldJudgeDays(deps: Deps): Promise<void> {
	const now = deps.clock.now();
	const payerDays = lastDays(now, rules.PAYER_DAYS_LOOKED_AT).slice(rules.PAYER_DAYS_KEPT);
	const days = { beforeDay: utcDayOf(now - rules.DAYS_KEPT_MS), payerDays };
	await forgetRows(deps.db, (limit) => deps.db.query.batch([deleteJudgeDays(deps, { ...days, limit })]));
}

/** Reads what the whole deployment has spent today, without reservations, in millionths of a US dollar. */
export async function findDeploymentSpend(deps: Deps): Promise<number> {
	const isToday = and(eq(judgeDays.scope, DEPLOYMENT), eq(judgeDays.day, utcDayOf(deps.clock.now())));
	const [row] = await deps.db.query.select({ settled: judgeDays.settled }).from(judgeDays).where(isToday);
	return row?.settled ?? 0;
}
