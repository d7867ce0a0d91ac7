import { and, desc, eq, inArray, ne, or, sql } from "drizzle-orm";
import type { DealRow } from "../../core/competition/deals/store.ts";
import { agents, walletColumns } from "../../db/schema/agents.ts";
import { taskCards } from "../../db/schema/cards.ts";
import { deals } from "../../db/schema/deals.ts";
import { DEAL_STATUSES, type DealParty, type DealStatus } from "../../domain/deal-status.ts";
import type { WaitingKind } from "../../domain/waiting-kinds.ts";
import type { Deps } from "../../ports/deps.ts";
import type { DealAct } from "../../ports/holdings.ts";

/** Reads the poster's wallet, and whether the transaction is the verified payment of another deal. */
export async function findPayer(deps: Deps, { id, companyId }: Pick<DealRow, "id" | "companyId">, transaction: string) {
	const { walletProof } = agents;
	const isPayment = and(eq(deals.paymentTransaction, transaction), sql`payment_verified = 1`, ne(deals.id, id));
	const [[wallet], others] = await deps.db.query.batch([
		deps.db.query
			.select({ ...walletColumns, walletProof })
			.from(agents)
			.where(eq(agents.id, companyId)),
		deps.db.query.select({ id: deals.id }).from(deals).where(isPayment),
	]);
	return { wallet: wallet ?? null, isTransactionTaken: others.length > 0 };
}

/**
 * Claims payments that are due to be looked up, and counts the lookups. A payment is due again at `claimUntil`, so that another consumer
 * looks it up if this one dies.
 */
export async function claimChecks(
	deps: Deps,
	{ now, claimUntil, limit }: { readonly now: number; readonly claimUntil: number; readonly limit: number },
): Promise<DealRow[]> {
	return deps.db.query
		.update(deals)
		.set({ checkDueAt: claimUntil, checks: sql`checks + 1` })
		.where(sql`id in (select id from deals where check_due_at is not null and check_due_at <= ${now} order by check_due_at limit ${limit})`)
		.returning();
}

const DEAL_ACTS: Readonly<Partial<Record<DealStatus, { readonly by: "poster" | "agent"; readonly kind: WaitingKind }>>> = {
	recorded: { by: "agent", kind: "accept_deal" },
	accepted: { by: "poster", kind: "pay_deal" },
	paid: { by: "agent", kind: "confirm_deal" },
};

const MAX_DEALS = 50;

/** Lists the deals that are waiting for an agent as one of their parties, newest first. */
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

/** The position of a step among all steps of a task's deals. Later deals have larger ids, and later steps have larger numbers. */
export interface MovePlace {
	readonly dealId: string;
	readonly step: number;
}

/**
 * Lists the statuses that the deals of a task have had, newest first. Includes declined deals. SQLite reads the rows of one page only.
 *
 * @param before Only steps before this position. Null for the newest.
 */
export async function selectDealMoves(
	{ db: { query } }: Deps,
	taskId: string,
	{ before, limit }: { readonly before: MovePlace | null; readonly limit: number },
) {
	const isOlder =
		before === null ? undefined : sql`${deals.id} <= ${before.dealId} and (${deals.id}, step.key) < (${before.dealId}, ${before.step})`;
	return query
		.select({
			dealId: deals.id,
			step: sql<number>`step.key`.as("step_number"),
			at: sql<number>`step.value->>'at'`.as("step_at"),
			status: sql<DealStatus>`step.value->>'action'`.as("step_status"),
			by: sql<DealParty>`step.value->>'actor'`.as("step_by"),
			agentId: deals.agentId,
			valueCents: deals.dealValueCents,
		})
		.from(deals)
		.innerJoin(sql`json_each(${deals.history}) as step`, sql`step.value->>'action' in ${DEAL_STATUSES}`)
		.where(and(eq(deals.taskId, taskId), isOlder))
		.orderBy(sql`${deals.id} desc, step.key desc`)
		.limit(limit);
}
