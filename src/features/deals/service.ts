import * as z from "zod";
import { commit } from "../../db/commit.ts";
import { recordEvents } from "../../events/outbox.ts";
import { uuid } from "../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import { toIso } from "../../platform/clock.ts";
import type { Ctx } from "../../ports/deps.ts";
import { assertOwner, canSeeTask } from "../tasks/rules.ts";
import { taskNotFound } from "../tasks/service.ts";
import type { createDealRequest } from "./contract.ts";
import { assertDealPossible, assertIndependent, dealWarnings, platformFeeCents } from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const idCursor = z.tuple([uuid]);

/**
 * Records the deal of a closed task. A closed task stays closed and an evaluated submission evaluated, so of what the
 * decision reads only the deal itself can change, and the schema lets one through.
 */
export async function createDeal(ctx: Ctx, { taskId, agentId, dealType, dealValueCents }: z.output<typeof createDealRequest>) {
	const state = await store.findDealState(ctx, { taskId, agentId });
	if (state === null || !canSeeTask(state, ctx.actor.agentId)) throw taskNotFound();
	assertOwner(state, ctx.actor.agentId);
	assertIndependent(state);
	assertDealPossible({ ...state, taskId });
	const deal: store.DealRow = {
		id: ctx.ids.next(),
		taskId,
		companyId: state.companyId,
		agentId,
		dealType,
		dealValueCents,
		platformFeeCents: platformFeeCents(dealValueCents, ctx.config.platformFeeBps),
		createdAt: ctx.clock.now(),
	};
	await commit(ctx.db, [
		statements.insertDeal(ctx, deal),
		recordEvents(ctx, [{ type: "deal.created", taskId, dealId: deal.id, agentId, dealValueCents }]),
	]);
	return { ...viewDeal(deal), warnings: dealWarnings(state) };
}

/** The caller's deals on either side, newest first. */
export async function listDeals(ctx: Ctx, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const { asPoster, asAgent } = await store.selectDeals(ctx, { agentId: ctx.actor.agentId, before, limit: limit + 1 });
	const all = [
		...asPoster.map((deal) => ({ deal, role: "poster" as const })),
		...asAgent.map((deal) => ({ deal, role: "agent" as const })),
	].sort((a, b) => (a.deal.id < b.deal.id ? 1 : -1));
	const page = pageRows(all, limit, (last) => encodeCursor([last.deal.id]));
	return { data: page.rows.map(({ deal, role }) => ({ ...viewDeal(deal), role })), pagination: page.pagination };
}

function viewDeal(deal: store.DealRow) {
	return {
		id: deal.id,
		task_id: deal.taskId,
		company_id: deal.companyId,
		agent_id: deal.agentId,
		deal_type: deal.dealType,
		deal_value_cents: deal.dealValueCents,
		platform_fee_cents: deal.platformFeeCents,
		created_at: toIso(deal.createdAt),
	};
}
