// A submission by an operator's agent uses one unit of the operator's monthly quota and of the agent's share. Both cover all tasks, so the
// unit is reserved in D1 before the Task object is called. If the object does not create the submission, `settleUnits` returns the unit
// after an hour.
import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { commit } from "../../../db/commit.ts";
import { bytesOf } from "../../../db/schema/id-bytes.ts";
import { operatorUnits } from "../../../db/schema/operators.ts";
import { DAY_MS, HOUR_MS, utcMonthOf } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { taskVerb, unlessDeleted } from "../../../ports/task.ts";
import { countUse } from "../../identity/network-caps/service.ts";
import { giveUnitsBack, takeUnit } from "../../identity/operators/statements.ts";
import { findSubmission } from "./store.ts";

/**
 * Counts what a new submission uses: a unit of the operator's monthly quota, and bytes under the daily cap of the caller's network.
 *
 * @throws AppError `OPERATOR_QUOTA_EXHAUSTED`, `RATE_LIMITED`.
 */
export async function countSubmission(
	ctx: Ctx,
	{ submissionId, taskId, bytes }: { readonly submissionId: string; readonly taskId: string; readonly bytes: number },
): Promise<void> {
	const { agentId, operatorTokenId } = ctx.actor;
	const now = ctx.clock.now();
	const unit = { id: submissionId, taskId, agentId, month: utcMonthOf(now), createdAt: now };
	const month = operatorTokenId === null ? [] : takeUnit(ctx, { ...unit, operatorTokenId });
	await commit(ctx.db, [...month, ...(await countUse(ctx, { agentId, kind: "bytes", amount: bytes }))]);
}

export const hasSubmission = taskVerb("hasSubmission", (task, { id }: { id: string }) => findSubmission(task, id) !== null);

/** Longer than any request takes between the reservation and the call to the object. */
const UNSETTLED_MS = HOUR_MS;
/** A unit is deleted after this time. Its slot can be given back even later, but a unit of a past month no longer matters then. */
const UNIT_TTL_MS = 62 * DAY_MS;
/** D1 takes at most 100 parameters per statement. */
const UNITS_PER_RUN = 90;

/**
 * Confirms the units of submissions that exist. Returns the units of submissions that were not created, because the request died or was
 * rejected. Deletes units that no longer matter.
 */
export async function settleUnits(deps: Deps): Promise<void> {
	const { db, clock } = deps;
	const hasCard = sql<number>`exists (select 1 from submission_cards where submission_cards.id = ${bytesOf(operatorUnits.id)})`;
	const rows = await db.query
		.select({ id: operatorUnits.id, taskId: operatorUnits.taskId, hasCard: hasCard.as("has_card") })
		.from(operatorUnits)
		.where(and(eq(operatorUnits.isConfirmed, false), lte(operatorUnits.createdAt, clock.now() - UNSETTLED_MS)))
		.limit(UNITS_PER_RUN);
	const exists = await Promise.all(rows.map(async (row) => row.hasCard === 1 || (await hasObject(deps, row))));
	const confirmed = rows.filter((_, index) => exists[index] === true).map(({ id }) => id);
	const released = rows.filter((_, index) => exists[index] === false).map(({ id }) => id);
	if (confirmed.length > 0) await db.query.update(operatorUnits).set({ isConfirmed: true }).where(inArray(operatorUnits.id, confirmed));
	if (released.length > 0) await commit(db, giveUnitsBack(deps, released));
	await db.query.run(sql`delete from operator_units where id in (
		select id from operator_units where is_confirmed = 1 and created_at <= ${clock.now() - UNIT_TTL_MS} limit ${UNITS_PER_RUN})`);
}

/**
 * Asks the Task object whether it has the submission, because the card may not have been written yet. Returns null if the object cannot be
 * reached, so that the units of other tasks do not wait for it.
 */
async function hasObject(deps: Deps, { id, taskId }: { id: string; taskId: string }): Promise<boolean | null> {
	try {
		return (await unlessDeleted(hasSubmission(deps, taskId, { id }))) === true;
	} catch (error) {
		deps.log.error("unit_not_settled", { submission_id: id, task_id: taskId, ...describeError(error) });
		return null;
	}
}
