import { and, desc, eq, getTableColumns, lt, ne, sql } from "drizzle-orm";
import { alias, unionAll } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { dealFields } from "#fields";
import { partyOf } from "../../../db/parties.ts";
import { agents, PAYOUT_METHODS, type WalletRow, walletColumns } from "../../../db/schema/agents.ts";
import { taskCards } from "../../../db/schema/cards.ts";
import { deals, isStandingDeal } from "../../../db/schema/deals.ts";
import { bytesOf } from "../../../db/schema/id-bytes.ts";
import { PAYOUT_CHAINS } from "../../../domain/chains.ts";
import type { PageBefore, Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import { isMember } from "../tasks/cards.ts";

export type DealRow = typeof deals.$inferSelect;

/** Reads the state that a new deal depends on, from the directory's cards. Returns null for an unknown task. */
export async function findDealState(
	deps: Deps,
	{ taskId, agentId, callerId }: { readonly taskId: string; readonly agentId: string; readonly callerId: string },
) {
	const [row] = await deps.db.query
		.select({
			companyId: taskCards.companyId,
			title: taskCards.title,
			status: taskCards.status,
			isTest: taskCards.isTest,
			hidden: taskCards.hidden,
			access: taskCards.access,
			isMember: isMember(callerId).mapWith(Boolean).as("is_member_of"),
			settledAt: taskCards.settledAt,
			decidedAt: taskCards.decidedAt,
			budgetCents: taskCards.budgetCents,
			feeBps: taskCards.feeBps,
			agentName: sql<string>`coalesce(${agents.displayName}, '')`.as("agent_name"),
			posterName: sql<string>`(select display_name from agents where id = ${taskCards.companyId})`.as("poster_name"),
			...walletColumns,
			hasEvaluatedSubmission:
				sql<number>`exists (select 1 from submission_cards where agent_id = ${bytesOf(agentId)} and task_id = ${bytesOf(taskId)}
				and final_score is not null and details->>'voidedAt' is null)`.as("has_evaluated"),
			isSameParty: sql<number>`${partyOf(sql`${taskCards.companyId}`)} is ${partyOf(sql`${agentId}`)}`.as("is_same_party"),
			hasDeal: sql<number>`exists (select 1 from deals where task_id = ${taskId} and ${isStandingDeal()})`.as("has_deal"),
		})
		.from(taskCards)
		.leftJoin(agents, eq(agents.id, agentId))
		.where(eq(taskCards.id, taskId));
	if (row === undefined) return null;
	const { hasEvaluatedSubmission, isSameParty, hasDeal } = row;
	return { ...row, hasEvaluatedSubmission: hasEvaluatedSubmission === 1, isSameParty: isSameParty === 1, hasDeal: hasDeal === 1 };
}

/** A deal with everything that its view shows. */
export interface FullDeal {
	readonly deal: DealRow;
	readonly wallet: WalletRow;
	/** The current names of both parties. */
	readonly agentName: string;
	readonly posterName: string;
}

const posters = alias(agents, "posters");

/**
 * When the windows for appeals and reviews began. Read from the task's card if the deal was recorded before that, during the final round.
 */
const decidedAt = sql<number | null>`coalesce(${deals.decidedAt}, (select c.decided_at from task_cards c where c.id = ${deals.taskId}))`.as(
	"deal_decided_at",
);

function selectFullDeals(deps: Deps) {
	return deps.db.query
		.select({
			deal: { ...getTableColumns(deals), decidedAt },
			wallet: walletColumns,
			agentName: sql<string>`${agents.displayName}`.as("agent_name"),
			posterName: sql<string>`${posters.displayName}`.as("poster_name"),
		})
		.from(deals)
		.innerJoin(agents, eq(agents.id, deals.agentId))
		.innerJoin(posters, eq(posters.id, deals.companyId));
}

function readDeal({ wallet, ...row }: Omit<FullDeal, "wallet"> & { readonly wallet: WalletRow | null }): FullDeal {
	// Drizzle turns a joined row into null if all of its columns are null.
	const none = { payoutMethod: null, payoutAddress: null, payoutChain: null, walletVerifiedAt: null };
	return { ...row, wallet: wallet ?? none };
}

/**
 * Selects an agent's newest deals, as the poster or as the other side. SQLite merges the two sides in their order, so it reads only the
 * rows of one page.
 *
 * @param before Only deals with smaller ids, which are older. Null for the first page.
 */
export async function selectDeals(deps: Deps, { agentId, before, limit }: PageBefore & { readonly agentId: string }): Promise<FullDeal[]> {
	const older = before === null ? undefined : lt(deals.id, before);
	const rows = await unionAll(
		selectFullDeals(deps).where(and(eq(deals.companyId, agentId), older)),
		selectFullDeals(deps).where(and(eq(deals.agentId, agentId), ne(deals.companyId, agentId), older)),
	)
		// Column 1 is the deal's id. A name would be ambiguous, because agents have an `id` too.
		.orderBy(desc(sql`1`))
		.limit(limit);
	return rows.map(readDeal);
}

export async function findDeal(deps: Deps, dealId: string): Promise<FullDeal | null> {
	const [row] = await selectFullDeals(deps).where(eq(deals.id, dealId));
	return row === undefined ? null : readDeal(row);
}

/** The payment columns of a new deal, for which no payment is known yet. */
export const UNPAID = {
	...{ paymentReference: null, paidMethod: null, paidAddress: null, paidChain: null, paidWalletVerifiedAt: null, paidAt: null },
	...{ paymentTransaction: null, paymentVerified: null, isOnItsWay: false, paymentNote: null, checkDueAt: null, checks: 0 },
	...{ seenUnits: null, seenAddress: null, seenChain: null, seenAt: null, scoreFrom: null, scoreTo: null, scoreChangedAt: null },
} as const;

const insertedWallet = z.tuple([
	z.enum(PAYOUT_METHODS).nullable(),
	z.string().nullable(),
	z.enum(PAYOUT_CHAINS).nullable(),
	z.number().nullable(),
]);

/** The columns that are known only after the insert, including the wallet that the deal shows. */
export const insertedDeal = z.tuple([
	z.object({
		history: z.string(),
		payRemainder: z.number().nullable(),
		wallet: z
			.string()
			.transform((text) => insertedWallet.parse(JSON.parse(text)))
			.transform(([payoutMethod, payoutAddress, payoutChain, walletVerifiedAt]): WalletRow => {
				return { payoutMethod, payoutAddress, payoutChain, walletVerifiedAt };
			}),
	}),
]);

/** One expression, so that SQLite reads the agent's row only once. */
const walletOfAgent = sql<string>`(select json_array(payout_method, payout_address, payout_chain, wallet_verified_at)
	from agents where agents.id = deals.agent_id)`;

/** The unique index allows one deal per task, not counting declined deals. The statement returns an {@link insertedDeal}. */
export function insertDeal(deps: Deps, row: Omit<DealRow, "history" | "payRemainder">): Statement {
	return deps.db.query
		.insert(deals)
		.values({ ...row, ...dealFields.columnsOfNew(row) })
		.returning({ history: deals.history, payRemainder: deals.payRemainder, wallet: walletOfAgent });
}
