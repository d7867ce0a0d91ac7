// The parties of a deal accept, decline, confirm and dispute it. The poster's payment is in pay-deal.ts.

import { dealView, viewDeal } from "../../core/competition/deals/deal.ts";
import { type DealRow, type FullDeal, findDeal } from "../../core/competition/deals/store.ts";
import { commit, decideAndCommit } from "../../db/commit.ts";
import { DEAL_TRANSITIONS, type DealParty } from "../../domain/deal-status.ts";
import { AppError } from "../../domain/errors.ts";
import { recordEvents } from "../../events/outbox.ts";
import { type HistoryEntry, historyOf } from "../../fields/settlement.ts";
import { idParams } from "../../http/fields.ts";
import type { CommitItem } from "../../ports/database.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import * as rules from "./rules.ts";
import { guardDeal, updateDeal } from "./statements.ts";

/** What the contracts of all steps have in common. */
export const DEAL_STEP = {
	method: "post",
	tags: ["Deals"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The deal.", schema: dealView },
	errors: ["NOT_FOUND", "FORBIDDEN", "INVALID_TRANSITION", "CONFLICT"],
	page: "concepts/deals",
} as const;

/**
 * Adds the caller's side to a deal.
 *
 * @throws AppError `NOT_FOUND` for anyone but the two parties.
 */
export function assertParty<Deal extends FullDeal>(ctx: Ctx, fullDeal: Deal | null): Deal & { readonly party: DealParty } {
	const party = fullDeal === null ? null : rules.partyOfDeal(fullDeal.deal, ctx.actor.agentId);
	if (fullDeal === null || party === null) {
		throw new AppError("NOT_FOUND", { message: "This deal does not exist, or you are not a party to it." });
	}
	return { ...fullDeal, party };
}

/** Takes a step of a deal. Of two parallel steps, the guard lets one through. The other reads the deal again, which no longer allows it. */
export function moveDeal(
	ctx: Ctx,
	dealId: string,
	{ step, note }: { readonly step: "accept" | "decline" | "confirm" | "dispute"; readonly note: string | null },
) {
	return decideAndCommit(ctx.db, async () => {
		const fullDeal = assertParty(ctx, await findDeal(ctx, dealId));
		rules.assertStep(step, { party: fullDeal.party, status: fullDeal.deal.status });
		const status = DEAL_TRANSITIONS[step].to;
		const deal = { ...fullDeal.deal, status };
		const entry = { at: ctx.clock.now(), actor: fullDeal.party, action: status, note };
		await commit(ctx.db, [
			guardDeal(ctx, fullDeal.deal),
			updateDeal(ctx, dealId, { change: { status }, entries: [entry] }),
			recordUpdate(ctx, deal, fullDeal.party),
		]);
		return viewDeal({ ...fullDeal, deal: withEntries(deal, [entry]) });
	});
}

/** Returns the deal as it is after {@link updateDeal}. */
export function withEntries(deal: DealRow, entries: readonly HistoryEntry[]): DealRow {
	return { ...deal, history: JSON.stringify([...historyOf(deal), ...entries]) };
}

/** Records that a deal has changed, for both parties. */
export function recordUpdate(
	deps: Deps,
	{ id: dealId, taskId, agentId, status, paymentVerified }: DealRow,
	by: HistoryEntry["actor"],
): CommitItem {
	return recordEvents(deps, [{ type: "deal.updated", taskId, dealId, agentId, status, paymentVerified, by }]);
}
