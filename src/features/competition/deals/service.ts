import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { DEAL_TRANSITIONS, type DealParty } from "../../../domain/deal-status.ts";
import { AppError } from "../../../domain/errors.ts";
import { recordEvents } from "../../../events/outbox.ts";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import type { CommitItem } from "../../../ports/database.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";
import { assertOwner, canSeeTask } from "../tasks/rules.ts";
import { taskNotFound } from "../tasks/store.ts";
import type { createDealRequest } from "./contract.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";
import { viewDeal } from "./views.ts";

const idCursor = z.tuple([uuid]);

type DealInput = z.output<typeof createDealRequest>;

/**
 * Records the deal of a closed task. A closed task stays closed and an evaluated submission evaluated, so of what the
 * decision reads only the deal itself can change, and the schema lets one through.
 */
export async function createDeal(ctx: Ctx, { taskId, agentId, dealType, dealValueCents }: DealInput) {
	const state = await store.findDealState(ctx, { taskId, agentId });
	if (state === null || !canSeeTask(state, ctx.actor.agentId)) throw taskNotFound();
	assertOwner(state, ctx.actor.agentId);
	rules.assertIndependent(state);
	rules.assertDealPossible({ ...state, taskId });
	const now = ctx.clock.now();
	const history: store.HistoryEntry[] = [{ at: now, actor: "poster", action: "recorded", note: null }];
	const deal = {
		...UNPAID,
		id: ctx.ids.next(),
		taskId,
		companyId: state.companyId,
		agentId,
		dealType,
		dealValueCents,
		platformFeeCents: rules.platformFeeCents(dealValueCents, ctx.config.platformFeeBps),
		createdAt: now,
		history: JSON.stringify(history),
	};
	await commit(ctx.db, [
		statements.insertDeal(ctx, deal),
		recordEvents(ctx, [{ type: "deal.created", taskId, dealId: deal.id, agentId, dealValueCents }]),
	]);
	return { ...viewDeal({ deal, wallet: state, history }), warnings: rules.dealWarnings({ ...state, dealValueCents }) };
}

const UNPAID = {
	status: DEAL_TRANSITIONS.record.to,
	paymentReference: null,
	paidMethod: null,
	paidAddress: null,
	paidChain: null,
	paidWalletVerifiedAt: null,
	paidAt: null,
	paymentTransaction: null,
	paymentVerified: null,
	paymentNote: null,
	checkDueAt: null,
	checks: 0,
};

/** The caller's deals on either side, newest first. */
export async function listDeals(ctx: Ctx, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const { agentId } = ctx.actor;
	const rows = await store.selectDeals(ctx, { agentId, before, limit: limit + 1 });
	const page = pageRows(rows, limit, (last) => encodeCursor([last.deal.id]));
	const roleIn = ({ companyId }: store.DealRow) => (companyId === agentId ? ("poster" as const) : ("agent" as const));
	return { data: page.rows.map((found) => ({ ...viewDeal(found), role: roleIn(found.deal) })), pagination: page.pagination };
}

/** @throws AppError `NOT_FOUND` for anyone but the two parties. */
export async function getDeal(ctx: Ctx, dealId: string) {
	return viewDeal(assertParty(ctx, await store.findDeal(ctx, dealId)));
}

/**
 * A deal with the caller's side of it.
 *
 * @throws AppError `NOT_FOUND` for anyone but the two parties.
 */
export function assertParty<Found extends store.FullDeal>(ctx: Ctx, found: Found | null): Found & { readonly party: DealParty } {
	const party = found === null ? null : rules.partyOfDeal(found.deal, ctx.actor.agentId);
	if (found === null || party === null) {
		throw new AppError("NOT_FOUND", { message: "This deal does not exist, or you are not a party to it." });
	}
	return { ...found, party };
}

export const acceptDeal = (ctx: Ctx, dealId: string) => moveDeal(ctx, dealId, { step: "accept", note: null });
export const confirmDeal = (ctx: Ctx, dealId: string) => moveDeal(ctx, dealId, { step: "confirm", note: null });
export const disputeDeal = (ctx: Ctx, dealId: string, reason: string) => moveDeal(ctx, dealId, { step: "dispute", note: reason });

interface Move {
	readonly step: "accept" | "confirm" | "dispute";
	readonly note: string | null;
}

/** Of two parallel steps, the guard lets one through. The other one reads again, and the new state no longer allows it. */
function moveDeal(ctx: Ctx, dealId: string, { step, note }: Move) {
	return decideAndCommit(ctx.db, async () => {
		const found = assertParty(ctx, await store.findDeal(ctx, dealId));
		rules.assertStep(step, { party: found.party, status: found.deal.status });
		const status = DEAL_TRANSITIONS[step].to;
		const deal = { ...found.deal, status };
		const entry = { at: ctx.clock.now(), actor: found.party, action: status, note };
		await commit(ctx.db, [
			statements.guardDeal(ctx, found.deal),
			statements.updateDeal(ctx, dealId, { change: { status }, entries: [entry] }),
			recordUpdate(ctx, deal),
		]);
		return viewDeal({ ...found, deal, history: [...found.history, entry] });
	});
}

/** The event of a changed deal, for both parties. */
export function recordUpdate(deps: Deps, { id: dealId, taskId, agentId, status, paymentVerified }: store.DealRow): CommitItem {
	return recordEvents(deps, [{ type: "deal.updated", taskId, dealId, agentId, status, paymentVerified }]);
}
