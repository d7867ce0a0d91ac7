// Reserves what crosses tasks: an operator's month, the share of its fleet, and the daily caps of anonymous networks. It is reserved in
// D1 before the Task object is called, and released when the object refuses. After a crash in between, `settleUnits` asks the object and
// then confirms or releases the unit. What counts for a network ends with the day.
import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { commit } from "../../../db/commit.ts";
import { bytesOf } from "../../../db/schema/id-bytes.ts";
import { operatorUnits } from "../../../db/schema/operators.ts";
import { DAY_MS, HOUR_MS, utcMonthOf } from "../../../platform/clock.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { taskVerb, unlessDeleted } from "../../../ports/task.ts";
import { type Amounts, type Reservation, reserveForNetwork } from "../../identity/network-caps/service.ts";
import { giveUnitsBack, takeUnit } from "../../identity/operators/statements.ts";
import { isRefusal, type PreparedCall, unlessUnused } from "../tasks/stored-objects.ts";
import { findSubmission } from "./store.ts";

/** Returns what a submission takes of its operator's month and of its network's day. */
export async function reserveSubmission(
	ctx: Ctx,
	{ submissionId, taskId, amounts }: { readonly submissionId: string; readonly taskId: string; readonly amounts: Amounts },
): Promise<Reservation> {
	const { agentId, operatorTokenId, tier } = ctx.actor;
	const now = ctx.clock.now();
	const network = tier === "anonymous" ? await reserveForNetwork(ctx, agentId, amounts) : { statements: [], release: [] };
	if (operatorTokenId === null) return network;
	const unit = { id: submissionId, taskId, agentId, operatorTokenId, month: utcMonthOf(now), createdAt: now };
	return {
		statements: [...takeUnit(ctx, unit), ...network.statements],
		release: [...giveUnitsBack(ctx, [submissionId]), ...network.release],
	};
}

/**
 * Calls a verb with what was reserved for it. Releases it in the background if the verb refuses or makes nothing.
 *
 * @param ask Asks the task when nothing is left to reserve, because its own refusal comes first, and so does the response to an earlier
 * request. Null lets the refusal of the reservation stand.
 * @throws AppError as the task does; then `OPERATOR_QUOTA_EXHAUSTED`, `RATE_LIMITED`.
 */
export async function whileReserved<Result>(
	deps: Deps,
	{ statements, release }: Reservation,
	{ ask, ...verb }: PreparedCall<Result> & { readonly ask?: () => Promise<Result | null> },
): Promise<Result> {
	let isReserved = false;
	return unlessUnused(deps, {
		...verb,
		async call() {
			try {
				await commit(deps.db, statements);
			} catch (error) {
				const earlier = isRefusal(error) && ask !== undefined ? await ask() : null;
				if (earlier === null) throw error;
				return earlier;
			}
			isReserved = true;
			return verb.call();
		},
		undo: () => Promise.all([verb.undo?.(), isReserved ? commit(deps.db, release) : undefined]),
	});
}

/** A submitting verb returns this if the agent's judging in a final round must be counted first. It has then changed nothing. */
export const LACKS_ROUND = "lacks_round";

/**
 * Calls a submitting verb. A final round judges each agent's work once more, without a request, so that judging counts for the network
 * of the agent's first work on the task.
 *
 * @throws AppError as the verb does; `RATE_LIMITED` over a cap.
 */
export async function withRoundCounted<Result>(
	ctx: Ctx,
	{
		call,
		isUnused,
	}: {
		readonly call: (isRoundCounted: boolean) => Promise<Result | typeof LACKS_ROUND>;
		readonly isUnused: (result: Result) => boolean;
	},
): Promise<Result> {
	const { agentId, tier } = ctx.actor;
	const result = await call(tier !== "anonymous" || ctx.config.networkCaps.evaluations === null);
	if (result !== LACKS_ROUND) return result;
	const callAgain = async () => {
		const counted = await call(true);
		if (counted === LACKS_ROUND) throw new Error("The judging of the round is counted already.");
		return counted;
	};
	return whileReserved(ctx, await reserveForNetwork(ctx, agentId, { evaluations: 1 }), { call: callAgain, isUnused });
}

const hasSubmission = taskVerb("hasSubmission", (task, { id }: { id: string }) => findSubmission(task, id) !== null);

/** No request takes this long from the reservation to the end of its call. */
const UNSETTLED_MS = HOUR_MS;
/** A slot can be given back months later, but a month that is over has no use for its unit. */
const UNIT_TTL_MS = 62 * DAY_MS;
/** D1 takes at most 100 parameters. */
const UNITS_PER_RUN = 90;

/** Confirms the units of submissions that exist, and gives back those of requests that died before their submission was made. */
export async function settleUnits(deps: Deps): Promise<void> {
	const { db, clock } = deps;
	const hasCard = sql<number>`exists (select 1 from submission_cards where submission_cards.id = ${bytesOf(operatorUnits.id)})`;
	const rows = await db.query
		.select({ id: operatorUnits.id, taskId: operatorUnits.taskId, hasCard: hasCard.as("has_card") })
		.from(operatorUnits)
		.where(and(eq(operatorUnits.isConfirmed, false), lte(operatorUnits.createdAt, clock.now() - UNSETTLED_MS)))
		.limit(UNITS_PER_RUN);
	const exists = await Promise.all(rows.map(async (row) => row.hasCard === 1 || (await hasObject(deps, row))));
	const confirmed = rows.filter((_, index) => exists[index]).map(({ id }) => id);
	const released = rows.filter((_, index) => !exists[index]).map(({ id }) => id);
	if (confirmed.length > 0) await db.query.update(operatorUnits).set({ isConfirmed: true }).where(inArray(operatorUnits.id, confirmed));
	if (released.length > 0) await commit(db, giveUnitsBack(deps, released));
	await db.query.run(sql`delete from operator_units where id in (
		select id from operator_units where is_confirmed = 1 and created_at <= ${clock.now() - UNIT_TTL_MS} limit ${UNITS_PER_RUN})`);
}

/** Asks the object, because a card can be late. */
async function hasObject(deps: Deps, { id, taskId }: { id: string; taskId: string }): Promise<boolean> {
	return (await unlessDeleted(hasSubmission(deps, taskId, { id }))) === true;
}
