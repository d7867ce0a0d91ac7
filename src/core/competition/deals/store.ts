import { and, desc, eq, lt, ne, type SQL, sql } from "drizzle-orm";
import { alias, unionAll } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { guard } from "../../../db/commit.ts";
import { partyOf } from "../../../db/parties.ts";
import { agents, type WalletRow, walletColumns } from "../../../db/schema/agents.ts";
import { taskCards } from "../../../db/schema/cards.ts";
import { deals, IS_OPEN_DEAL } from "../../../db/schema/deals.ts";
import { bytesOf } from "../../../db/schema/id-bytes.ts";
import type { PayoutChain } from "../../../domain/chains.ts";
import { DEAL_ACTIONS, DEAL_ACTORS, type DealStatus } from "../../../domain/deal-status.ts";
import type { PageBefore, Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import { isMember } from "../tasks/cards.ts";
import { MAX_PAY_REMAINDER, preferredRemainder } from "./rules.ts";

export type DealRow = typeof deals.$inferSelect;

/** Reads what a new deal depends on, from the cards of the directory. Returns null if there is no such task. */
export async function findDealState(
	deps: Deps,
	{ taskId, agentId, callerId }: { readonly taskId: string; readonly agentId: string; readonly callerId: string },
) {
	const [row] = await deps.db.query
		.select({
			companyId: taskCards.companyId,
			title: taskCards.title,
			status: taskCards.status,
			hidden: taskCards.hidden,
			access: taskCards.access,
			isMember: isMember(callerId).mapWith(Boolean).as("is_member_of"),
			roundStatus: taskCards.roundStatus,
			budgetCents: taskCards.budgetCents,
			agentName: sql<string>`coalesce(${agents.displayName}, '')`.as("agent_name"),
			posterName: sql<string>`(select display_name from agents where id = ${taskCards.companyId})`.as("poster_name"),
			...walletColumns,
			hasEvaluatedSubmission:
				sql<number>`exists (select 1 from submission_cards where agent_id = ${bytesOf(agentId)} and task_id = ${bytesOf(taskId)}
				and final_score is not null and details->>'voidedAt' is null)`.as("has_evaluated"),
			isSameParty: sql<number>`${partyOf(sql`${taskCards.companyId}`)} is ${partyOf(sql`${agentId}`)}`.as("is_same_party"),
			hasDeal: sql<number>`exists (select 1 from deals where task_id = ${taskId})`.as("has_deal"),
		})
		.from(taskCards)
		.leftJoin(agents, eq(agents.id, agentId))
		.where(eq(taskCards.id, taskId));
	if (row === undefined) return null;
	const { hasEvaluatedSubmission, isSameParty, hasDeal } = row;
	return { ...row, hasEvaluatedSubmission: hasEvaluatedSubmission === 1, isSameParty: isSameParty === 1, hasDeal: hasDeal === 1 };
}

const historyColumn = z.array(
	z.object({ at: z.number(), actor: z.enum(DEAL_ACTORS), action: z.enum(DEAL_ACTIONS), note: z.string().nullable() }),
);

export type HistoryEntry = z.output<typeof historyColumn>[number];

/** The view of a deal needs these facts. */
export interface FullDeal {
	readonly deal: DealRow;
	readonly wallet: WalletRow;
	/** The parties have these names now. */
	readonly agentName: string;
	readonly posterName: string;
	readonly history: readonly HistoryEntry[];
}

const posters = alias(agents, "posters");

function selectFullDeals(deps: Deps) {
	return deps.db.query
		.select({
			deal: deals,
			wallet: walletColumns,
			agentName: sql<string>`${agents.displayName}`.as("agent_name"),
			posterName: sql<string>`${posters.displayName}`.as("poster_name"),
		})
		.from(deals)
		.innerJoin(agents, eq(agents.id, deals.agentId))
		.innerJoin(posters, eq(posters.id, deals.companyId));
}

function readDeal({ wallet, ...row }: Omit<FullDeal, "history" | "wallet"> & { readonly wallet: WalletRow | null }): FullDeal {
	// Drizzle makes a joined row null when all of its columns are.
	const none = { payoutMethod: null, payoutAddress: null, payoutChain: null, walletVerifiedAt: null };
	return { ...row, wallet: wallet ?? none, history: historyColumn.parse(JSON.parse(row.deal.history)) };
}

/**
 * Selects the newest deals of an agent on either side. SQLite merges the two sides in their order, so it reads the rows of one page only.
 *
 * @param before Only deals with smaller ids, which are older. Null for the first page.
 */
export async function selectDeals(deps: Deps, { agentId, before, limit }: PageBefore & { readonly agentId: string }): Promise<FullDeal[]> {
	const older = before === null ? undefined : lt(deals.id, before);
	const rows = await unionAll(
		selectFullDeals(deps).where(and(eq(deals.companyId, agentId), older)),
		selectFullDeals(deps).where(and(eq(deals.agentId, agentId), ne(deals.companyId, agentId), older)),
	)
		// The first column is the deal's id. Agents have a column of that name as well.
		.orderBy(desc(sql`1`))
		.limit(limit);
	return rows.map(readDeal);
}

/** Finds the status of a task's deal. Returns null without one. */
export async function findDealStatus(deps: Deps, taskId: string): Promise<DealStatus | null> {
	const [row] = await deps.db.query.select({ status: deals.status }).from(deals).where(eq(deals.taskId, taskId));
	return row?.status ?? null;
}

/** Finds the deal of a task. Returns null without one. */
export async function findDealOfTask(deps: Deps, taskId: string): Promise<FullDeal | null> {
	const [row] = await selectFullDeals(deps).where(eq(deals.taskId, taskId));
	return row === undefined ? null : readDeal(row);
}

export async function findDeal(deps: Deps, dealId: string): Promise<FullDeal | null> {
	const [row] = await selectFullDeals(deps).where(eq(deals.id, dealId));
	return row === undefined ? null : readDeal(row);
}

/** Reads the poster's wallet, and whether the transaction is the verified payment of another deal. */
export async function findPayer(
	deps: Deps,
	{ id, companyId }: Pick<DealRow, "id" | "companyId">,
	{ chain, transaction }: { readonly chain: PayoutChain; readonly transaction: string },
) {
	const { walletProof } = agents;
	const isPayment = and(eq(deals.paymentTransaction, transaction), eq(deals.paidChain, chain), sql`payment_verified = 1`, ne(deals.id, id));
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
 * Claims payments that are due to be looked up, and counts the look-ups. A payment is due again at `claimUntil`, so that another consumer
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

/** Nothing is known of the payment of a new deal. */
export const UNPAID = {
	...{ paymentReference: null, paidMethod: null, paidAddress: null, paidChain: null, paidWalletVerifiedAt: null, paidAt: null },
	...{ paymentTransaction: null, paymentVerified: null, paymentNote: null, checkDueAt: null, checks: 0 },
} as const;

export const insertedDeal = z.tuple([z.object({ payRemainder: z.number().nullable() })]);

/**
 * The unique index over the task admits one deal per task. The statement itself looks for the next remainder that no open deal of the
 * same amount has, so parallel deals get different ones. It returns an {@link insertedDeal}.
 */
export function insertDeal(deps: Deps, row: Omit<DealRow, "payRemainder">): Statement {
	const due = row.dealValueCents - row.platformFeeCents;
	const isTaken = sql`exists (select 1 from deals where (deal_value_cents - platform_fee_cents) = ${due}
		and pay_remainder = tried.remainder and ${IS_OPEN_DEAL})`;
	const payRemainder = sql`(with recursive tried (remainder, number) as (
			select ${preferredRemainder(row.id)}, 1
			union all select remainder % ${MAX_PAY_REMAINDER} + 1, number + 1 from tried where number < ${MAX_PAY_REMAINDER} and ${isTaken})
		select case when not ${isTaken} then remainder end from tried order by number desc limit 1)`;
	return deps.db.query
		.insert(deals)
		.values({ ...row, payRemainder })
		.returning({ payRemainder: deals.payRemainder });
}

/**
 * The guard fails if the deal's status, or what is known of its payment, has changed since the decision read it, because events show
 * both. Each look-up of a payment is counted, so of two consumers only the later one's result counts.
 */
export function guardDeal(deps: Deps, { id, status, paymentVerified, checks }: DealRow): Statement {
	const verified = paymentVerified === null ? null : Number(paymentVerified);
	const isSame = and(eq(deals.id, id), eq(deals.status, status), eq(deals.checks, checks), sql`payment_verified is ${verified}`);
	return guard(deps.db, exists(sql`deals where ${isSame}`));
}

/** The guard fails if the agent's wallet has changed since the decision read it. */
export function guardWallet(deps: Deps, agentId: string, wallet: WalletRow): Statement {
	const { payoutMethod, payoutAddress, payoutChain } = wallet;
	const isSame = sql`payout_method is ${payoutMethod} and payout_address is ${payoutAddress} and payout_chain is ${payoutChain}`;
	return guard(deps.db, exists(sql`agents where ${and(eq(agents.id, agentId), isSame)}`));
}

const exists = (rows: SQL): SQL => sql`exists (select 1 from ${rows})`;

/** Changes a deal and adds to its history. Put {@link guardDeal} before it: the guard fails for a repeated change, so entries are added once. */
export function updateDeal(
	deps: Deps,
	id: string,
	{ change, entries }: { readonly change: Partial<Omit<DealRow, "id">>; readonly entries: readonly HistoryEntry[] },
): Statement {
	const added = entries.map((entry) => sql`, '$[#]', json(${JSON.stringify(entry)})`);
	const history = sql`json_insert(history${sql.join(added)})`;
	return deps.db.query
		.update(deals)
		.set({ ...change, history })
		.where(eq(deals.id, id));
}
