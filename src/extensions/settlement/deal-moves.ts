// The public log of a task shows the steps of its deal.

import { findDealOfTask } from "../../core/competition/deals/store.ts";
import { DEAL_STATUSES } from "../../domain/deal-status.ts";
import { historyOf } from "../../fields/settlement.ts";
import type { Deps } from "../../ports/deps.ts";

const MOVES: ReadonlySet<string> = new Set(DEAL_STATUSES);

/** Lists each status that the deal of a task has had, oldest first. The list is empty without a deal. */
export async function listDealMoves(deps: Deps, taskId: string) {
	const fullDeal = await findDealOfTask(deps, taskId);
	if (fullDeal === null) return [];
	const { deal, agentName } = fullDeal;
	return historyOf(deal)
		.filter(({ action }) => MOVES.has(action))
		.map(({ at, action }) => ({ at, status: action, agentName, valueCents: deal.dealValueCents }));
}
