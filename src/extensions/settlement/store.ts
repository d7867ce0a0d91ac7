import { and, desc, eq, inArray, or, sql } from "drizzle-orm";
import { taskCards } from "../../db/schema/cards.ts";
import { deals } from "../../db/schema/deals.ts";
import type { DealStatus } from "../../domain/deal-status.ts";
import type { WaitingKind } from "../../domain/waiting-kinds.ts";
import type { Deps } from "../../ports/deps.ts";
import type { DealAct } from "../../ports/holdings.ts";

const DEAL_ACTS: Readonly<Partial<Record<DealStatus, { readonly by: "poster" | "agent"; readonly kind: WaitingKind }>>> = {
	recorded: { by: "agent", kind: "accept_deal" },
	accepted: { by: "poster", kind: "pay_deal" },
	paid: { by: "agent", kind: "confirm_deal" },
};

const MAX_DEALS = 50;

/** Lists the deals that wait for an agent as one of their parties, newest first. */
export async function listWaitingDeals({ db: { query } }: Deps, agentId: string): Promise<readonly DealAct[]> {
	const asParty = or(
		and(eq(deals.companyId, agentId), eq(deals.status, "accepted")),
		and(eq(deals.agentId, agentId), inArray(deals.status, ["recorded", "paid"])),
	);
	const rows = await query
		.select({
			...{ dealId: deals.id, taskId: deals.taskId, companyId: deals.companyId, status: deals.status, valueCents: deals.dealValueCents },
			title: sql<string | null>`${taskCards.title}`.as("task_title"),
		})
		.from(deals)
		.leftJoin(taskCards, eq(taskCards.id, deals.taskId))
		.where(asParty)
		.orderBy(desc(deals.id))
		.limit(MAX_DEALS);
	return rows.flatMap(({ dealId, taskId, companyId, status, valueCents, title }) => {
		const act = DEAL_ACTS[status];
		if (act === undefined || act.by !== (companyId === agentId ? "poster" : "agent")) return [];
		return [{ kind: act.kind, dealId, taskId, title: title ?? "", valueCents }];
	});
}
