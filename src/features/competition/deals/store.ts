import { and, desc, eq, lt, ne, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { partyOf } from "../../../db/parties.ts";
import { agents } from "../../../db/schema/agents.ts";
import { taskCards } from "../../../db/schema/cards.ts";
import { deals } from "../../../db/schema/deals.ts";
import { DEAL_ACTIONS, DEAL_ACTORS } from "../../../domain/deal-status.ts";
import type { Deps } from "../../../ports/deps.ts";

export type DealRow = typeof deals.$inferSelect;

const walletColumns = {
	payoutMethod: agents.payoutMethod,
	payoutAddress: agents.payoutAddress,
	payoutChain: agents.payoutChain,
	walletVerifiedAt: agents.walletVerifiedAt,
};

/** The agent's wallet as it is now. */
export type DealWallet = Pick<typeof agents.$inferSelect, keyof typeof walletColumns>;

/** What a deal depends on, from the cards of the directory. An agent with an evaluated submission that is not voided is on the leaderboard. */
export async function findDealState(deps: Deps, { taskId, agentId }: DealSubjects) {
	const [row] = await deps.db.query
		.select({
			companyId: taskCards.companyId,
			status: taskCards.status,
			hidden: taskCards.hidden,
			roundStatus: taskCards.roundStatus,
			budgetCents: taskCards.budgetCents,
			...walletColumns,
			hasEvaluatedSubmission: sql<number>`exists (select 1 from submission_cards where agent_id = ${agentId} and task_id = ${taskId}
				and final_score is not null and details->>'voidedAt' is null)`.as("has_evaluated"),
			isSameParty: isSameParty(sql`${taskCards.companyId}`, agentId),
			hasDeal: hasDeal(taskId),
		})
		.from(taskCards)
		.leftJoin(agents, eq(agents.id, agentId))
		.where(eq(taskCards.id, taskId));
	return row === undefined ? null : { ...row, ...readFlags(row) };
}

interface DealSubjects {
	readonly taskId: string;
	readonly agentId: string;
}

const isSameParty = (companyId: SQL, agentId: string) =>
	sql<number>`${partyOf(companyId)} is ${partyOf(sql`${agentId}`)}`.as("is_same_party");

const hasDeal = (taskId: string) => sql<number>`exists (select 1 from deals where task_id = ${taskId})`.as("has_deal");

interface DealFlags {
	readonly hasEvaluatedSubmission: number;
	readonly isSameParty: number;
	readonly hasDeal: number;
}

function readFlags({ hasEvaluatedSubmission, isSameParty: isSame, hasDeal: has }: DealFlags) {
	return { hasEvaluatedSubmission: hasEvaluatedSubmission === 1, isSameParty: isSame === 1, hasDeal: has === 1 };
}

const historyColumn = z.array(
	z.object({ at: z.number(), actor: z.enum(DEAL_ACTORS), action: z.enum(DEAL_ACTIONS), note: z.string().nullable() }),
);

export type HistoryEntry = z.output<typeof historyColumn>[number];

/** A deal with what its views need, all from one row of the result. */
export interface FullDeal {
	readonly deal: DealRow;
	readonly wallet: DealWallet;
	readonly history: readonly HistoryEntry[];
}

const fullColumns = { deal: deals, wallet: walletColumns };

interface SelectedDeal {
	readonly deal: DealRow;
	readonly wallet: DealWallet | null;
}

function readDeal({ deal, wallet }: SelectedDeal): FullDeal {
	// Drizzle makes a joined row null when all of its columns are.
	const none = { payoutMethod: null, payoutAddress: null, payoutChain: null, walletVerifiedAt: null };
	return { deal, wallet: wallet ?? none, history: historyColumn.parse(JSON.parse(deal.history)) };
}

interface DealPage {
	readonly agentId: string;
	/** Deals with smaller ids, which are older ones. */
	readonly before: string | null;
	readonly limit: number;
}

/** The newest deals of an agent on either side. SQLite merges the two sides in their order, so it reads the rows of one page only. */
export async function selectDeals(deps: Deps, { agentId, before, limit }: DealPage): Promise<FullDeal[]> {
	const older = before === null ? undefined : lt(deals.id, before);
	const select = () => deps.db.query.select(fullColumns).from(deals).innerJoin(agents, eq(agents.id, deals.agentId));
	const rows = await unionAll(
		select().where(and(eq(deals.companyId, agentId), older)),
		select().where(and(eq(deals.agentId, agentId), ne(deals.companyId, agentId), older)),
	)
		// The first column is the deal's id. Agents have a column of that name as well.
		.orderBy(desc(sql`1`))
		.limit(limit);
	return rows.map(readDeal);
}

export async function findDeal(deps: Deps, dealId: string): Promise<FullDeal | null> {
	const [row] = await deps.db.query
		.select(fullColumns)
		.from(deals)
		.innerJoin(agents, eq(agents.id, deals.agentId))
		.where(eq(deals.id, dealId));
	return row === undefined ? null : readDeal(row);
}

/** A deal, and whether another one on the chain of its agent's wallet names this transaction. */
export async function findDealToPay(deps: Deps, dealId: string, transaction: string | null) {
	const [[row], others] = await deps.db.query.batch([
		deps.db.query.select(fullColumns).from(deals).innerJoin(agents, eq(agents.id, deals.agentId)).where(eq(deals.id, dealId)),
		deps.db.query
			.select({ chain: deals.paidChain })
			.from(deals)
			.where(and(eq(deals.paymentTransaction, transaction ?? ""), ne(deals.id, dealId))),
	]);
	if (row === undefined) return null;
	const found = readDeal(row);
	return { ...found, isTransactionTaken: others.some(({ chain }) => chain === found.wallet.payoutChain) };
}

interface DueChecks {
	readonly now: number;
	/** When a consumer that dies is replaced. */
	readonly leaseUntil: number;
	readonly limit: number;
}

/** Takes the leases of payments that are due to be looked up, and counts the look-ups. */
export async function claimChecks(deps: Deps, { now, leaseUntil, limit }: DueChecks): Promise<DealRow[]> {
	return deps.db.query
		.update(deals)
		.set({ checkDueAt: leaseUntil, checks: sql`checks + 1` })
		.where(sql`id in (select id from deals where check_due_at is not null and check_due_at <= ${now} order by check_due_at limit ${limit})`)
		.returning();
}
