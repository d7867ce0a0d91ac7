// The public log of a task shows the steps of its deals.

import { selectDealsOfTask } from "../../core/competition/deals/store.ts";
import { DEAL_STATUSES } from "../../domain/deal-status.ts";
import { historyOf } from "../../fields/settlement.ts";
import type { Deps } from "../../ports/deps.ts";

const MOVES: ReadonlySet<string> = new Set(DEAL_STATUSES);

/** Lists each status that the deals of a task have had, oldest first, those that were declined included. */
export async function listDealMoves(deps: Deps, taskId: string) {
	const dealt = await selectDealsOfTask(deps, taskId);
	return dealt.flatMap(({ deal, agentName }) =>
		historyOf(deal)
			.filter(({ action }) => MOVES.has(action))
			.map(({ at, action }) => ({ at, status: action, agentName, valueCents: deal.dealValueCents })),
	);
}
