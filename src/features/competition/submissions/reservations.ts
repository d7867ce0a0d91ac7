// What crosses tasks: the month and the share of an operator's fleet, and the daily caps of anonymous networks. It is reserved in D1
// before the Task object is called, and released when the object refuses. After a crash in between, a unit is confirmed or released by
// `settleUnits`, which asks the object; what counts for a network ends with the day.
import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { commit } from "../../../db/commit.ts";
import { operatorUnits } from "../../../db/schema/operators.ts";
import { AppError } from "../../../domain/errors.ts";
import { DAY_MS, HOUR_MS, utcMonthOf } from "../../../platform/clock.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Ctx, Deps, PublicCtx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { type Amounts, reserveForNetwork } from "../../identity/network-caps/service.ts";
import { giveUnitsBack, takeUnit } from "../../identity/operators/statements.ts";
import { isRefusal, unlessUnused } from "./artifacts.ts";
import { findSubmission } from "./store.ts";

interface NewSubmission {
	readonly submissionId: string;
	readonly taskId: string;
	readonly amounts: Amounts;
}

interface Submitting<Result> {
	/** Makes the submission. */
	readonly call: () => Promise<Result>;
	/** Whether the call made nothing, as for a repeated request. */
	readonly isUnused?: (result: Result) => boolean;
	/** What the task itself says when nothing is left to reserve: its own refusal, or the response to an earlier request. */
	readonly ask: () => Promise<Result | null>;
}

/**
 * Makes a submission with what it takes of its operator's month and of its network's day.
 *
 * @throws AppError what the task refuses; then `OPERATOR_QUOTA_EXHAUSTED`, `RATE_LIMITED`.
 */
export async function whileReserved<Result>(
	ctx: Ctx,
	{ submissionId, taskId, amounts }: NewSubmission,
	{ call, isUnused, ask }: Submitting<Result>,
): Promise<Result> {
	const { agentId, operatorTokenId, tier } = ctx.actor;
	const now = ctx.clock.now();
	const unit = { id: submissionId, taskId, agentId, month: utcMonthOf(now), createdAt: now };
	const reserved = operatorTokenId === null ? [] : takeUnit(ctx, { ...unit, operatorTokenId });
	const network = tier === "anonymous" ? await reserveForNetwork(ctx, agentId, amounts) : NOTHING;
	try {
		await commitAny(ctx, [...reserved, ...network.statements]);
	} catch (error) {
		const earlier = isRefusal(error) ? await ask() : null;
		if (earlier === null) throw error;
		return earlier;
	}
	const undo = () => commitAny(ctx, [...(reserved.length === 0 ? [] : giveUnitsBack(ctx, [submissionId])), ...network.release]);
	return unlessUnused(ctx, { call, undo, isUnused });
}

const NOTHING = { statements: [], release: [] };

/**
 * Calls a verb with what an agent uses of its network's day. A signed URL does not say the tier of the agent, so D1 looks it up.
 *
 * @throws AppError what the verb refuses; `RATE_LIMITED` over a cap.
 */
export async function whileCounted<Result>(
	ctx: PublicCtx,
	{ agentId, ...amounts }: Amounts & { readonly agentId: string },
	{ call, isUnused }: Pick<Submitting<Result>, "call" | "isUnused">,
): Promise<Result> {
	const { statements, release } = await reserveForNetwork(ctx, agentId, amounts);
	await commitAny(ctx, statements);
	return unlessUnused(ctx, { call, undo: () => commitAny(ctx, release), isUnused });
}

async function commitAny({ db }: Deps, statements: readonly Statement[]): Promise<void> {
	if (statements.length > 0) await commit(db, statements);
}

export const hasSubmission = taskVerb("hasSubmission", (task, { id }: { id: string }) => findSubmission(task, id) !== null);

/** Longer than a request can take from the reservation to the end of its call. */
const UNSETTLED_MS = HOUR_MS;
/** A slot can be given back months later, but a month that is over has no use for its unit. */
const KEPT_MS = 62 * DAY_MS;
/** D1 takes at most 100 parameters. */
const UNITS_PER_RUN = 90;

/** Confirms the units of submissions that exist, and gives back those of requests that died before their submission was made. */
export async function settleUnits(deps: Deps): Promise<void> {
	const { db, clock } = deps;
	const hasCard = sql<number>`exists (select 1 from submission_cards where submission_cards.id = operator_units.id)`;
	const rows = await db.query
		.select({ id: operatorUnits.id, taskId: operatorUnits.taskId, hasCard: hasCard.as("has_card") })
		.from(operatorUnits)
		.where(and(eq(operatorUnits.isConfirmed, false), lte(operatorUnits.createdAt, clock.now() - UNSETTLED_MS)))
		.limit(UNITS_PER_RUN);
	const made = await Promise.all(rows.map(async (row) => row.hasCard === 1 || (await isMade(deps, row))));
	const idsOf = (wanted: boolean) => rows.filter((_, index) => made[index] === wanted).map(({ id }) => id);
	const [confirmed, given] = [idsOf(true), idsOf(false)];
	if (confirmed.length > 0) await db.query.update(operatorUnits).set({ isConfirmed: true }).where(inArray(operatorUnits.id, confirmed));
	if (given.length > 0) await commit(db, giveUnitsBack(deps, given));
	await db.query.run(sql`delete from operator_units where id in (
		select id from operator_units where is_confirmed = 1 and created_at <= ${clock.now() - KEPT_MS} limit ${UNITS_PER_RUN})`);
}

/** A card can be late, so only the object knows. */
async function isMade({ hubs, clock }: Deps, { id, taskId }: { id: string; taskId: string }): Promise<boolean> {
	try {
		return await hubs.callTask(taskId, hasSubmission, { input: { id }, now: clock.now() });
	} catch (error) {
		if (error instanceof AppError && error.code === "NOT_FOUND") return false;
		throw error;
	}
}
